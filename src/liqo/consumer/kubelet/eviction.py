"""Eviction: pods leave a virtual node that goes, as politely as its end allows.

Each pod is a key of its own, so that one whose disruption budget says no holds up no other.

Runs on   consumer
Watches   Pod (that went out), VirtualNode, ForeignCluster
Writes    evicts Pods, or deletes them
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import chain

from liqo.api import labels
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import BoundPod
from liqo.api.meta import Key, Resource
from liqo.api.offloading import VirtualNode
from liqo.consumer.kubelet.life import WENT_OUT, is_leaving
from liqo.kube.cache import Caches
from liqo.kube.indexes import Label
from liqo.kube.indexes import node as by_node
from liqo.rules.reachability import is_given_up
from liqo.runtime.clock import Clock
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import NOTHING, Delete, Evict, Plan, Record, do

PATIENCE = timedelta(minutes=5)  # for disruption budgets; then the peering's end is more important
AGAIN = 5.0  # seconds until a budget is asked again


@dataclass(frozen=True)
class State:
    pod: BoundPod
    node: VirtualNode | None  # that it went out through
    is_lost: bool  # the provider: there is nobody to end the pod
    now: datetime


def controller(here: Caches, clock: Clock) -> Controller[State]:
    return Controller(
        name="consumer/kubelet/eviction",
        watches={
            here.of(BoundPod, WENT_OUT): itself,
            here.of(VirtualNode): partial(_pods_on, here),
            here.of(ForeignCluster): partial(_pods_of, here),
        },
        observe=partial(observe, here, clock),
        plan=plan,
    )


def observe(here: Caches, clock: Clock, key: Key) -> State | None:
    pod = here.of(BoundPod, WENT_OUT).get(key)
    if pod is None:
        return None
    node = next((each for each in here.of(VirtualNode) if each.metadata.name in by_node(pod)), None)
    provider = node.spec.cluster_id if node is not None else ""
    known = here.of(ForeignCluster).by(Label(labels.REMOTE_CLUSTER_ID), provider)
    return State(pod, node, not known or any(map(is_given_up, known)), clock())


def plan(state: State) -> Plan:
    """
    its VirtualNode         | provider | pod               | what is done
    ------------------------+----------+-------------------+---------------------------------
    live, or not known      | any      | any               | nothing
    goes, or wants no Node  | lost     | any               | deleted at once: nobody ends it
    goes, or wants no Node  | there    | of a DaemonSet    | deleted: it would only come back
    goes, or wants no Node  | there    | ends already      | nothing
    goes, or wants no Node  | there    | any other         | evicted; after 5 minutes deleted
    """
    if state.node is None or not is_leaving(state.node):
        return NOTHING
    pod = state.pod
    if state.is_lost:
        return do(Delete(pod, grace=0))
    if pod.metadata.deletion_timestamp is not None:
        return NOTHING
    if _is_daemon(pod):
        return do(Delete(pod))
    since = state.node.metadata.deletion_timestamp
    if since is not None and state.now - datetime.fromisoformat(since) > PATIENCE:
        why = f"its virtual node {state.node.metadata.name} goes, and waited {PATIENCE} for it"
        return do(Delete(pod), Record(pod, "NotEvicted", why, "Warning"))
    return do(Evict(pod), wake_after=AGAIN)


def _is_daemon(pod: BoundPod) -> bool:
    return any(owner.kind == "DaemonSet" for owner in pod.metadata.owner_references)


def _pods_on(here: Caches, node: Resource) -> Iterable[Key]:
    return [pod.key for pod in here.of(BoundPod, WENT_OUT).by(by_node, node.metadata.name)]


def _pods_of(here: Caches, cluster: Resource) -> Iterable[Key]:
    provider = cluster.metadata.labels.get(labels.REMOTE_CLUSTER_ID, "")
    nodes = here.of(VirtualNode).by(Label(labels.REMOTE_CLUSTER_ID), provider)
    return chain.from_iterable(_pods_on(here, node) for node in nodes)
