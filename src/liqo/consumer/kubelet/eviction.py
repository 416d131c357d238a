"""Eviction: pods leave a virtual node that goes, as politely as its end allows.

Each pod is a key of its own, so that one whose disruption budget says no holds up no other.

Runs on   consumer
Watches   Pod (on a virtual node that leaves), VirtualNode, ForeignCluster
Writes    evicts Pods, or deletes them
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import chain

from liqo.api import labels
from liqo.api.core import ForeignCluster
from liqo.api.meta import Key, Resource
from liqo.api.offloading import VirtualNode
from liqo.api.sizes import BoundPod
from liqo.consumer.kubelet.departures import (
    HELD,
    PATIENCE,
    departures,
    is_daemon,
    is_overdue,
    is_waited_for,
    leaves_since,
)
from liqo.kube.cache import Caches
from liqo.kube.indexes import Label
from liqo.kube.indexes import node as by_node
from liqo.rules.departure import is_leaving
from liqo.rules.reachability import is_given_up
from liqo.runtime.clock import Clock
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import NOTHING, Delete, Evict, Plan, Record, do

AGAIN = 5.0  # seconds until a budget is asked again, or whether the others are gone


@dataclass(frozen=True)
class State:
    pod: BoundPod
    node: VirtualNode  # that it went out through
    is_lost: bool  # the provider: there is nobody to end the pod
    now: datetime
    is_early: bool = False  # it is of a DaemonSet, and others are still there


def controller(here: Caches, clock: Clock) -> Controller[State]:
    return Controller(
        name="consumer/kubelet/eviction",
        watches={
            departures(here): itself,
            here.of(VirtualNode): partial(_pods_on, here),
            here.of(ForeignCluster): partial(_pods_of, here),
        },
        observe=partial(observe, here, clock),
        plan=plan,
    )


def observe(here: Caches, clock: Clock, key: Key) -> State | None:
    pod = departures(here).get(key)
    names = by_node(pod) if pod is not None else ()
    node = next((each for each in here.of(VirtualNode) if each.metadata.name in names), None)
    if pod is None or node is None or not is_waited_for(pod, node):
        return None
    now = clock()
    known = here.of(ForeignCluster).by(Label(labels.REMOTE_CLUSTER_ID), node.spec.cluster_id)
    is_early = is_daemon(pod) and _has_others(here, node, now)
    return State(pod, node, not known or any(map(is_given_up, known)), now, is_early)


def plan(state: State) -> Plan:
    """
    its VirtualNode         | provider | pod               | what is done
    ------------------------+----------+-------------------+---------------------------------
    live                    | any      | any               | nothing
    goes, or wants no Node  | lost     | any               | deleted at once: nobody ends it
    goes, or wants no Node  | there    | ends already      | nothing; deleted at once when its time
                            |          |                   | has been over for 5 minutes
    goes, or wants no Node  | there    | of a DaemonSet    | nothing while there are others: it
                            |          |                   | would come back; then deleted
    goes, or wants no Node  | there    | any other         | evicted; deleted when its node has
                            |          |                   | been leaving for 5 minutes
    """
    if not is_leaving(state.node):
        return NOTHING
    pod = state.pod
    if state.is_lost:
        return do(Delete(pod, grace=0))
    if pod.metadata.deletion_timestamp is not None:
        left = _patience(datetime.fromisoformat(pod.metadata.deletion_timestamp), state.now)
        return do(wake_after=left) if left > 0 else do(Delete(pod, grace=0), _told(pod, state.node))
    if is_daemon(pod):
        return do(wake_after=AGAIN) if state.is_early else do(Delete(pod))
    since = leaves_since(state.node)
    if since is not None and _patience(since, state.now) < 0:
        return do(Delete(pod), _told(pod, state.node))
    return do(Evict(pod), wake_after=AGAIN)


def _has_others(here: Caches, node: VirtualNode, now: datetime) -> bool:
    """To wait for, that are of no DaemonSet and that nobody holds; so also while nobody knows."""
    pods = departures(here).on(node.metadata.name)
    return pods is None or not all(is_daemon(pod) or is_overdue(pod, HELD, now) for pod in pods)


def _patience(since: datetime, now: datetime) -> float:
    """Seconds that are left of it."""
    return (PATIENCE - (now - since)).total_seconds()


def _told(pod: BoundPod, node: VirtualNode) -> Record:
    why = f"its virtual node {node.metadata.name} goes, and waited {PATIENCE} for it"
    return Record(pod, "NotEvicted", why, "Warning")


def _pods_on(here: Caches, node: Resource) -> Iterable[Key]:
    return [pod.key for pod in departures(here).on(node.metadata.name) or ()]


def _pods_of(here: Caches, cluster: Resource) -> Iterable[Key]:
    provider = cluster.metadata.labels.get(labels.REMOTE_CLUSTER_ID, "")
    nodes = here.of(VirtualNode).by(Label(labels.REMOTE_CLUSTER_ID), provider)
    return chain.from_iterable(_pods_on(here, node) for node in nodes)
