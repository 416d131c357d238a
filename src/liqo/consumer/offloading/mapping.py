"""The NamespaceMap of a provider: which of our namespaces go there. We are its only writer.

It is decided as a whole, of all NamespaceOffloadings: what somebody else writes into it is undone.

Runs on   consumer
Watches   NamespaceOffloading, NamespaceMap (ours), VirtualNode, Node (virtual)
Writes    NamespaceMap: its spec, and the annotation that names what keeps its pods
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from liqo.api import labels
from liqo.api.kubernetes import Node
from liqo.api.meta import JSON, Key, Resource
from liqo.api.offloading import NamespaceMap, NamespaceOffloading, VirtualNode
from liqo.consumer.home import Home
from liqo.consumer.offloading.selection import (
    is_own,
    nodes_of,
    objection,
    own_maps,
    provider_of,
    selects,
)
from liqo.kube.cache import Caches
from liqo.kube.reading import Metadata
from liqo.rules import offloading, tenancy
from liqo.rules.difference import difference
from liqo.runtime.controller import Controller
from liqo.runtime.plan import NOTHING, Patch, Plan, do
from liqo.runtime.sights import NAMESPACES, VIRTUAL_NODES


@dataclass(frozen=True)
class State:
    known: NamespaceMap
    mapping: Mapping[str, str]  # what should be asked of the provider
    staying: tuple[str, ...]  # of those: whose pods stay at home


def controller(here: Caches, home: Home) -> Controller[State]:
    every = partial(_every, here)
    return Controller(
        name="consumer/offloading/mapping",
        watches={
            here.of(NamespaceMap): _itself,
            here.of(NamespaceOffloading): every,
            here.of(VirtualNode): every,
            here.of(Node, VIRTUAL_NODES): every,
        },
        observe=partial(observe, here, home),
        plan=plan,
    )


def observe(here: Caches, home: Home, key: Key) -> State | None:
    known = here.of(NamespaceMap).get(key)
    if known is None or not is_own(here, known):
        return None
    nodes = nodes_of(here, provider_of(known))
    selecting = [
        each
        for each in here.of(NamespaceOffloading)
        if selects(each, known, nodes) and not objection(each, _namespace(here, each), home)
    ]
    mapping = offloading.desired(selecting, known, home.cluster_id)
    at_home = {each.metadata.namespace for each in selecting if _keeps_pods(each)}
    return State(known, mapping, tuple(sorted(at_home & mapping.keys())))


def plan(state: State) -> Plan:
    """A map that goes keeps what it says: its end is the end of the namespaces there, too."""
    known = state.known
    if known.metadata.deletion_timestamp is not None:
        return NOTHING
    change: JSON = {}
    if mapping := difference(known.spec.desired_mapping, dict(state.mapping)):
        change["spec"] = {"desiredMapping": mapping}
    told = ",".join(state.staying)
    if known.metadata.annotations.get(labels.PODS_STAY, "") != told:
        change["metadata"] = {"annotations": {labels.PODS_STAY: told or None}}
    return do(Patch(known, change, only_if_unchanged=True)) if change else NOTHING


def _keeps_pods(wanted: NamespaceOffloading) -> bool:
    return wanted.spec.pod_offloading_strategy == "Local"


def _namespace(here: Caches, wanted: NamespaceOffloading) -> Metadata | None:
    return here.of(NAMESPACES).get(Key("", wanted.metadata.namespace))


def _itself(known: NamespaceMap) -> Iterable[Key]:
    return () if tenancy.is_copy(known) else (known.key,)


def _every(here: Caches, _: Resource) -> Iterable[Key]:
    return [known.key for known in own_maps(here)]
