"""Availability: pods on a virtual node that is not ready say so themselves, by a label.

Runs on   consumer
Watches   Node (virtual), Pod (that went out)
Writes    the label `liqo.io/remote-unavailable` of those Pods
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from liqo.api import labels
from liqo.api.kubernetes import Node
from liqo.api.meta import Key
from liqo.api.sizes import BoundPod
from liqo.kube.cache import Caches
from liqo.kube.indexes import node as by_node
from liqo.kube.paths import Scope
from liqo.rules.readiness import is_ready
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import NOTHING, Patch, Plan, do
from liqo.runtime.sights import VIRTUAL_NODES

WENT_OUT = Scope(labels=f"{labels.SHADOW_POD}=true")


@dataclass(frozen=True)
class State:
    pod: BoundPod
    node: Node


def controller(here: Caches) -> Controller[State]:
    return Controller(
        name="consumer/kubelet/availability",
        watches={
            here.of(BoundPod, WENT_OUT): itself,
            here.of(Node, VIRTUAL_NODES): partial(_pods_on, here),
        },
        observe=partial(observe, here),
        plan=plan,
    )


def observe(here: Caches, key: Key) -> State | None:
    pod = here.of(BoundPod, WENT_OUT).get(key)
    nodes = by_node(pod) if pod is not None else ()
    node = next((here.of(Node, VIRTUAL_NODES).get(Key("", name)) for name in nodes), None)
    return State(pod, node) if pod is not None and node is not None else None


def plan(state: State) -> Plan:
    """
    Node      | label | what is done
    ----------+-------+--------------
    ready     | none  | nothing
    ready     | there | taken away
    not ready | none  | put there
    not ready | there | nothing
    """
    if says_so(state.pod) != is_ready(state.node):
        return NOTHING
    value = None if says_so(state.pod) else "true"
    return do(Patch(state.pod, {"metadata": {"labels": {labels.REMOTE_UNAVAILABLE: value}}}))


def says_so(pod: BoundPod) -> bool:
    return labels.REMOTE_UNAVAILABLE in pod.metadata.labels


def _pods_on(here: Caches, node: Node) -> Iterable[Key]:
    """Those for which there is something to do: a Node changes often, its readiness seldom."""
    if here.of(Node, VIRTUAL_NODES).get(node.key) is not node:
        return ()  # what it was: we are told next what it is
    ready = is_ready(node)
    pods = here.of(BoundPod, WENT_OUT).by(by_node, node.metadata.name)
    return [pod.key for pod in pods if says_so(pod) == ready]
