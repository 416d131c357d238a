"""What goes to the provider: a policy for each kind, and what owners say of single objects.

policy         | what goes
---------------+------------------------------------------------------------------------------
DenyList       | everything but what is told to stay
AllowList      | what is told to go
OnlyReferenced | what a pod mentions that goes to the provider, and what is told to go
Off            | nothing: the kind has no workers

An EndpointSlice goes by the policy of Services, unless its own kind is off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, assert_never

from msgspec import structs

from liqo.api import labels
from liqo.api.meta import Key, Kind
from liqo.api.offloading import VirtualNode, VkOptionsTemplate
from liqo.kube.cache import Caches
from liqo.kube.copy import Copy
from liqo.kube.paths import Scope
from liqo.kubelet.reflect.around import ALONE, Around
from liqo.kubelet.site import Site, unchanged
from liqo.rules.kubelets import options_of

Policy: TypeAlias = Literal["DenyList", "AllowList", "OnlyReferenced", "Off"]
Verdict: TypeAlias = Literal["goes", "stays", "contradictory"]
LISTS: Mapping[str, Policy] = {"DenyList": "DenyList", "AllowList": "AllowList"}
MENTIONED: Policy = "OnlyReferenced"
MENTIONABLE = frozenset({"configmap", "secret"})  # by pods: for these alone it means something
SILENT: frozenset[Policy] = frozenset({"OnlyReferenced", "Off"})  # an Event for each were a storm


def deny_list(_: Kind) -> Policy:
    return "DenyList"


@dataclass(frozen=True)
class Policies:
    """The policy of each kind as it is now: it may change while the kubelet runs."""

    of: Callable[[Kind], Policy] = deny_list
    at: Callable[[Site], Site] = unchanged  # with the labels and annotations that are withheld
    sources: tuple[Copy[Any], ...] = ()  # whose changes may change them


DEFAULT = Policies()


@dataclass(frozen=True)
class Told:
    """Where the options of kubelets are, and what our flags say where those say nothing."""

    installation: str  # a namespace
    flags: Mapping[str, Policy]  # by kind, in small letters
    off: frozenset[str] = frozenset()  # kinds without workers


def live(here: Caches, site: Site, told: Told) -> Policies:
    """As the options of our VirtualNode say at this moment, whatever we were started with."""
    nodes = here.of(VirtualNode, Scope(site.tenant_namespace))
    templates = here.of(VkOptionsTemplate)

    def template() -> VkOptionsTemplate | None:
        node = nodes.get(Key(site.tenant_namespace, site.node))
        return templates.get(options_of(node, told.installation)) if node is not None else None

    def of(kind: Kind) -> Policy:
        return policy_in(template(), word_of(kind), told)

    def at(site: Site) -> Site:
        return withholding(site, template())

    return Policies(of, at, (nodes, templates))


def word_of(kind: Kind) -> str:
    """What options call it: a kind of Kubernetes by its name, one of others by its whole one."""
    is_kubernetes = "." not in kind.group or kind.group.endswith(".k8s.io")
    return kind.name.lower() if is_kubernetes else f"{kind.plural}.{kind.group}"


def withholding(site: Site, template: VkOptionsTemplate | None) -> Site:
    """What the template withholds by now, beside what it did when the virtual node was made."""
    if template is None:
        return site
    patch, options = site.patch, template.spec
    names = set(options.labels_not_reflected) - set(patch.labels_not_reflected)
    notes = set(options.annotations_not_reflected) - set(patch.annotations_not_reflected)
    if not names and not notes:
        return site
    more = structs.replace(
        patch,
        labels_not_reflected=(*patch.labels_not_reflected, *sorted(names)),
        annotations_not_reflected=(*patch.annotations_not_reflected, *sorted(notes)),
    )
    return replace(site, patch=more)


def policy_in(template: VkOptionsTemplate | None, kind: str, told: Told) -> Policy:
    """The template's word; the flag's where the template says nothing that we understand."""
    config = template.spec.reflectors_config if template else {}
    own = config.get(kind)
    if own.workers == 0 if own is not None else kind in told.off:
        return "Off"
    whose = "service" if kind == "endpointslice" else kind
    chosen = config.get(whose)
    return policy_of(whose, chosen.type if chosen is not None else "") or told.flags.get(
        whose, "DenyList"
    )


def policy_of(kind: str, word: str) -> Policy | None:
    """What the word means for that kind; None: nothing."""
    if word == MENTIONED and kind in MENTIONABLE:
        return MENTIONED
    return LISTS.get(word)


def verdict(annotations: Mapping[str, str], policy: Policy, around: Around = ALONE) -> Verdict:
    match policy:
        case "Off":
            return "stays"
        case "DenyList":
            return "stays" if is_set(annotations, labels.SKIP_REFLECTION) else "goes"
        case "AllowList":
            return "goes" if is_set(annotations, labels.ALLOW_REFLECTION) else "stays"
        case "OnlyReferenced":
            return wish(annotations) or ("goes" if around.is_mentioned else "stays")
        case _:
            assert_never(policy)


def why_it_stays(_: object, policy: Policy) -> str:
    """Empty: nobody is told."""
    return "" if policy in SILENT else f'the current object (policy: "{policy}")'


def wish(annotations: Mapping[str, str]) -> Verdict | None:
    """What the owner of this very object says, whatever the policy; None: nothing."""
    skip = is_set(annotations, labels.SKIP_REFLECTION)
    allow = is_set(annotations, labels.ALLOW_REFLECTION)
    if skip and allow:
        return "contradictory"
    if skip:
        return "stays"
    return "goes" if allow else None


def is_set(annotations: Mapping[str, str], name: str) -> bool:
    """To any value but false, however that is spelled."""
    return annotations.get(name, "false").lower() != "false"
