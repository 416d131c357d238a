"""Rights that administrators add: what consumers may do in their namespaces here, beyond ours.

Runs on   provider
Watches   ClusterRole (added), Namespace, RoleBinding (of peers)
Writes    RoleBinding, one for each such role in each namespace of a consumer
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from liqo.api import labels
from liqo.api.kubernetes import ClusterRole, RoleBinding
from liqo.api.meta import Key, Resource
from liqo.kube.cache import Caches
from liqo.kube.reading import Metadata
from liqo.provider import rights
from liqo.provider.twin import ROLE
from liqo.runtime import addedrights
from liqo.runtime.addedrights import Place, State, all_of, failed, plan, whose
from liqo.runtime.controller import Controller, itself
from liqo.runtime.sights import NAMESPACES
from liqo.runtime.tenants import OF_PEERS

BASE = ROLE.removeprefix("liqo-")
MANAGED_BY = labels.MANAGED_BY_NAMESPACE_MAP


def controller(here: Caches) -> Controller[State]:
    return Controller(
        name="provider/addedrights",
        watches={
            here.of(ClusterRole): itself,
            here.of(NAMESPACES): partial(_if_made, here),
            here.of(RoleBinding, OF_PEERS): partial(_concerned, here),
        },
        observe=partial(observe, here),
        plan=plan,
        failed=failed,
    )


def observe(here: Caches, key: Key) -> State | None:
    return addedrights.observe(here, BASE, places(here), key)


def places(here: Caches) -> Iterator[Place]:
    """Namespaces in which a NamespaceMap opened the way. Whom for, only the namespace can tell:
    bindings are made by more people than namespaces are."""
    for each in here.of(NAMESPACES).by(_made, "yes"):
        namespace, consumer = each.metadata.name, each.metadata.labels[labels.REMOTE_CLUSTER_ID]
        home, _, _ = each.metadata.annotations[MANAGED_BY].partition("/")
        given = here.of(RoleBinding, OF_PEERS).get(Key(namespace, home))
        if given is not None and _manager(given) == _manager(each):
            [subject] = rights.role_to(ROLE, "Group", consumer)["subjects"]
            yield Place(namespace, home, _marks(consumer), subject)


def _marks(consumer: str) -> dict[str, str]:
    return {labels.APP_MANAGED_BY: "liqo", labels.REMOTE_CLUSTER_ID: consumer}


def _manager(made: Resource) -> str:
    return made.metadata.annotations.get(MANAGED_BY, "")


def _made(found: Resource) -> Iterable[str]:
    """Index of namespaces: those that were made for a consumer, and stay."""
    there = found.metadata
    is_for_a_peer = labels.REMOTE_CLUSTER_ID in there.labels and MANAGED_BY in there.annotations
    return ("yes",) if is_for_a_peer and there.deletion_timestamp is None else ()


def _if_made(here: Caches, namespace: Metadata) -> Iterable[Key]:
    return (
        all_of(here, BASE)(namespace)
        if labels.REMOTE_CLUSTER_ID in namespace.metadata.labels
        else ()
    )


def _concerned(here: Caches, changed: RoleBinding) -> Iterable[Key]:
    """Of one that a NamespaceMap led to, all that are added to it."""
    return all_of(here, BASE)(changed) if _manager(changed) else whose(changed)
