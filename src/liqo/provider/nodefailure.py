"""Node failure: pods of consumers that a lost node keeps terminating are let go, and run elsewhere.

A node that does not answer cannot confirm that a pod has ended, so Kubernetes keeps it for ever.
Off unless the provider asks for it: a node that is only cut off may still be running the pod.

Runs on   provider
Watches   Pod (made of a ShadowPod), Node (not a virtual one)
Writes    deletes Pods, without grace
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from liqo.api.kubernetes import Node, Pod
from liqo.api.meta import Key, Resource
from liqo.kube.cache import Caches
from liqo.kube.indexes import node as by_node
from liqo.provider.shadowpod import OURS
from liqo.provider.watched import PHYSICAL_NODES
from liqo.rules.readiness import is_ready
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import NOTHING, Delete, Plan, do


@dataclass(frozen=True)
class State:
    pod: Pod
    node: Node | None


def controller(here: Caches) -> Controller[State]:
    def pods_on(node: Resource) -> Iterable[Key]:
        return [pod.key for pod in here.of(Pod, OURS).by(by_node, node.metadata.name)]

    return Controller(
        name="provider/nodefailure",
        watches={here.of(Pod, OURS): itself, here.of(Node, PHYSICAL_NODES): pods_on},
        observe=partial(observe, here),
        plan=plan,
    )


def observe(here: Caches, key: Key) -> State | None:
    pod = here.of(Pod, OURS).get(key)
    if pod is None or pod.metadata.deletion_timestamp is None:
        return None
    nodes = here.of(Node, PHYSICAL_NODES)
    return State(pod, next((nodes.get(Key("", name)) for name in by_node(pod)), None))


def plan(state: State) -> Plan:
    """
    its node            | what is done
    --------------------+--------------------------------------------
    ready, or not known | nothing: its kubelet ends it
    not ready           | let it go; its ShadowPod has it made anew
    """
    if state.node is None or is_ready(state.node):
        return NOTHING
    return do(Delete(state.pod, grace=0))
