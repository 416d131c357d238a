"""Rights in namespaces: a virtual kubelet may read what it takes along, and only where pods go out.

Runs on   consumer
Watches   NamespaceMap (ours), VirtualNode, RoleBinding (of kubelets)
Writes    RoleBinding, one for each virtual kubelet in each mapped namespace
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from liqo.api import labels
from liqo.api.kubernetes import ClusterRole, RoleBinding
from liqo.api.meta import Key, Resource
from liqo.api.offloading import NamespaceMap, VirtualNode
from liqo.consumer.kubelet import forge
from liqo.kube.cache import Caches
from liqo.kube.indexes import Label
from liqo.kube.paths import Scope
from liqo.rules import names, tenancy
from liqo.runtime.controller import Controller
from liqo.runtime.plan import Create, Delete, Manifest, Part, Plan, do

ROLE = "liqo-virtual-kubelet-namespace"
BINDINGS = Scope(labels=f"{labels.VIRTUAL_NODE},{labels.MAPPED}=true")


@dataclass(frozen=True)
class State:
    node: VirtualNode | None  # none: it is gone, and its rights are to follow
    namespaces: frozenset[str]  # that go to its provider
    bindings: tuple[RoleBinding, ...]  # that it has


def controller(here: Caches) -> Controller[State]:
    return Controller(
        name="consumer/kubelet/namespaces",
        watches={
            here.of(VirtualNode): _name,
            here.of(NamespaceMap): partial(_of_provider, here),
            here.of(RoleBinding, BINDINGS): _whose,
        },
        observe=partial(observe, here),
        plan=plan,
    )


def observe(here: Caches, key: Key) -> State | None:
    node = next((each for each in here.of(VirtualNode) if each.metadata.name == key.name), None)
    bindings = here.of(RoleBinding, BINDINGS).by(Label(labels.VIRTUAL_NODE), key.name)
    return State(node, mapped(here, node), tuple(bindings))


def plan(state: State) -> Plan:
    """
    VirtualNode   | namespace  | binding | what is done
    --------------+------------+---------+--------------------------------------------
    live          | mapped     | none    | made; one that lost its labels gets them back
    any           | mapped     | there   | nothing: pods may still be on their way out
    any           | not mapped | there   | deleted
    gone          | any        | there   | deleted
    """
    there = {each.metadata.namespace for each in state.bindings}
    return do(parts=(*_given(state, there), *_taken(state)))


def _given(state: State, there: set[str]) -> Iterator[Part]:
    """Each by itself: one that is missing or goes keeps the kubelet out of no other."""
    node = state.node
    if node is not None and node.metadata.deletion_timestamp is None:
        for namespace in sorted(state.namespaces - there):
            yield Part(namespace, (Create(binding(node, namespace), or_apply=True),))


def _taken(state: State) -> Iterator[Part]:
    for each in state.bindings:
        if each.metadata.namespace not in state.namespaces:
            yield Part(each.metadata.namespace, (Delete(each),))


def mapped(here: Caches, node: VirtualNode | None) -> frozenset[str]:
    if node is None:
        return frozenset()
    found = here.of(NamespaceMap).get(Key(node.metadata.namespace, node.spec.cluster_id))
    if found is None or tenancy.is_copy(found):
        return frozenset()
    # Already while the provider makes them: then nobody waits for the rights. What it answers does
    # not count, it may answer anything.
    return frozenset(found.spec.desired_mapping)


def binding(node: VirtualNode, namespace: str) -> Manifest:
    metadata = {
        "name": names.kubelet_binding(node.metadata.name),
        "namespace": namespace,
        "labels": {**forge.marks(node), labels.MAPPED: "true"},
    }
    body = forge.bound(node, ClusterRole.KIND.name, ROLE)
    return Manifest(RoleBinding.KIND, {"metadata": metadata, **body})


def _name(changed: Resource) -> Iterable[Key]:
    """By name alone: the bindings outlive the VirtualNode by a moment, and know no more of it."""
    return (Key("", changed.metadata.name),)


def _whose(changed: Resource) -> Iterable[Key]:
    return (Key("", changed.metadata.labels.get(labels.VIRTUAL_NODE, "")),)


def _of_provider(here: Caches, changed: Resource) -> Iterable[Key]:
    provider = changed.metadata.labels.get(labels.REMOTE_CLUSTER_ID, "")
    found = here.of(VirtualNode).by(Label(labels.REMOTE_CLUSTER_ID), provider)
    return [Key("", node.metadata.name) for node in found]
