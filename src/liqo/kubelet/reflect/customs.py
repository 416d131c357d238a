"""Custom resources, of kinds that somebody names: what they ask goes out, their status comes back.

Runs on   consumer, in the virtual kubelet
Watches   NamespaceMap and VirtualNode (of the provider); in namespaces that go out the kind, and on
          the provider, in each namespace that is ours, the same
Writes    the kind (provider), its status (at home)

How they go out is observed and decided as for every kind: kubelet/reflect/reflection.py. Rights are
the administrators' to give, on both sides: ClusterRoles that are added to those of virtual kubelets
(docs/adr/0026-custom-resources-by-name.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from liqo.api import labels
from liqo.api.custom import Custom, model_of
from liqo.api.meta import JSON, Key, Kind
from liqo.api.offloading import VirtualNode
from liqo.kube.cache import Caches
from liqo.kube.paths import Scope
from liqo.kubelet.pods.marks import is_ours
from liqo.kubelet.reflect import policy, reflection
from liqo.kubelet.reflect.marks import is_copy_of
from liqo.kubelet.reflect.policy import Policies, Policy, Verdict
from liqo.kubelet.reflect.reflection import Reflection
from liqo.kubelet.reflect.views import Views, follow_whole
from liqo.kubelet.site import Site
from liqo.rules.difference import difference
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import NOTHING, PatchStatus, Plan, Record, do

NAME = "kubelet/reflect/customs"
COMPONENT = "liqo-custom-reflection"
UNSERVED = "CustomResourceNotServed"


@dataclass(frozen=True)
class Offer:
    """Of the kinds that are to be reflected: what can be, and who does not serve the others."""

    served: tuple[Kind, ...] = ()
    missing: tuple[tuple[Kind, str], ...] = ()  # with the ID of that cluster


NO_CUSTOMS = Offer()


@dataclass(frozen=True)
class Status:
    """One that went out, and its copy."""

    local: Custom
    remote: Custom


@dataclass(frozen=True)
class Unserved:
    node: VirtualNode
    missing: tuple[tuple[Kind, str], ...]


def controllers(
    here: Caches, there: Caches, site: Site, policies: Policies, offer: Offer
) -> Iterator[Controller[Any]]:
    for kind in offer.served:
        views = follow_whole(here, there, site, model_of(kind))
        yield reflection.controller(views, site, reflection_of(kind), policies)
        yield status(views, site, kind)
    if offer.missing:
        yield unserved(here, site, offer)


def reflection_of(kind: Kind) -> Reflection[Custom]:
    return Reflection(
        name=f"{NAME}/{kind.plural}.{kind.group}",
        model=model_of(kind),
        component=COMPONENT,
        content=content,
        judge=judge,
        why_it_stays=why_it_stays,
    )


def content(local: Custom, *_: object) -> JSON:
    return {"spec": local.spec}


def judge(local: Custom, chosen: Policy, *_: object) -> Verdict:
    """What came from another cluster goes no further: it could come back."""
    if came_from_elsewhere(local):
        return "stays"
    return policy.verdict(local.metadata.annotations, chosen)


def why_it_stays(local: Custom, chosen: Policy) -> str:
    if came_from_elsewhere(local):
        return "what came from another cluster"
    return policy.why_it_stays(local, chosen)


def came_from_elsewhere(local: Custom) -> bool:
    return labels.ORIGIN in local.metadata.labels


def status(views: Views[Custom], site: Site, kind: Kind) -> Controller[Status]:
    back = partial(reflection.home, views, site, reflection_of(kind))
    return Controller(
        name=f"{NAME}/{kind.plural}.{kind.group}/status",
        watches={views.locals: itself, views.atlas: views.inside, views.remotes: back},
        observe=partial(observe_status, views, site),
        plan=plan_status,
    )


def observe_status(views: Views[Custom], site: Site, key: Key) -> Status | None:
    local, place = views.locals.get(key), views.place_of(key.namespace)
    if local is None or place is None:
        return None
    remote: Custom | None = views.remotes.get(Key(place.namespace, key.name))
    if remote is None or not is_ours(remote, site):
        return None
    return Status(local, remote) if is_copy_of(remote.metadata, local.metadata) else None


def plan_status(state: Status) -> Plan:
    """
    status there      | what is done
    ------------------+------------------------------------------------
    none yet          | nothing
    as it is at home  | nothing
    any other         | it is shown at home
    """
    shown = state.remote.status
    if not shown:
        return NOTHING
    change = difference(state.local.status, _translated(state, shown))
    return do(PatchStatus(state.local, change)) if change else NOTHING


def unserved(here: Caches, site: Site, offer: Offer) -> Controller[Unserved]:
    nodes = here.of(VirtualNode, Scope(site.tenant_namespace))

    def observe(key: Key) -> Unserved | None:
        node = nodes.get(key) if key.name == site.node else None
        return Unserved(node, offer.missing) if node is not None else None

    return Controller(name=NAME, watches={nodes: itself}, observe=observe, plan=plan_unserved)


def plan_unserved(state: Unserved) -> Plan:
    return do(
        *(
            Record(
                state.node,
                UNSERVED,
                f'cluster "{cluster}" does not serve {kind.plural}.{kind.group}/{kind.version}, or '
                "did not answer: install its CustomResourceDefinition there, then restart the "
                "virtual kubelet",
                type="Warning",
                component=COMPONENT,
            )
            for kind, cluster in state.missing
        )
    )


def _translated(state: Status, shown: JSON) -> JSON:
    """A generation is counted in its own cluster."""
    if "observedGeneration" not in shown:
        return shown
    rest = {name: each for name, each in shown.items() if name != "observedGeneration"}
    is_current = shown["observedGeneration"] == state.remote.metadata.generation
    return {**rest, "observedGeneration": state.local.metadata.generation} if is_current else rest
