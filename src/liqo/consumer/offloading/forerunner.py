"""Forerunners: pods that were created before their namespace was offloaded, and still wait.

Nobody completed them, so they would wait for a node of ours for ever. Kubernetes lets us add a
toleration to such a pod, and nothing else; where its policy wants more than that, whoever owns the
pod makes another one, which is then completed like any other. Should that one lack the same again,
it is not deleted as soon.

Runs on   consumer
Watches   Pod (that has no node yet), NamespaceOffloading, Namespace, Node (virtual)
Writes    Pod: its tolerations; or deletes it
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from liqo.api import labels
from liqo.api.kubernetes import Node, Pod
from liqo.api.meta import Key, Resource
from liqo.api.offloading import NamespaceOffloading
from liqo.consumer.offloading.selection import choosy
from liqo.kube.cache import Caches
from liqo.kube.indexes import namespace as by_namespace
from liqo.kube.paths import Scope
from liqo.rules import offloading, ownership, placement
from liqo.rules.opening import TOGETHER, created
from liqo.rules.selectors import Candidate
from liqo.runtime.clock import Clock
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import NOTHING, Delete, Patch, Plan, Record, do
from liqo.runtime.sights import NAMESPACES, VIRTUAL_NODES

PATIENCE = timedelta(seconds=30)  # with others: the policy has changed, or somebody undoes it
WAITING = Scope(fields="spec.nodeName=,status.phase=Pending")


@dataclass(frozen=True)
class State:
    pod: Pod
    wanted: NamespaceOffloading
    runtime_class: str
    nodes: tuple[Candidate, ...]  # virtual ones
    now: datetime


def controller(here: Caches, runtime_class: str, clock: Clock) -> Controller[State]:
    return Controller(
        name="consumer/offloading/forerunner",
        watches={
            here.of(Pod, WAITING): itself,
            here.of(NamespaceOffloading): partial(_waiting_in, here),
            here.of(NAMESPACES): partial(_waiting_inside, here),
            here.of(Node, VIRTUAL_NODES): partial(_waiting_anywhere, here),
        },
        observe=partial(observe, here, runtime_class, clock),
        plan=plan,
    )


def observe(here: Caches, runtime_class: str, clock: Clock, key: Key) -> State | None:
    pod = here.of(Pod, WAITING).get(key)
    wanted = here.of(NamespaceOffloading).get(Key(key.namespace, offloading.NAME))
    if pod is None or wanted is None or not _is_open(here, key.namespace):
        return None  # until pods are completed there, the next would be no better
    nodes = (
        Candidate(each.metadata.name, each.metadata.labels) for each in here.of(Node, VIRTUAL_NODES)
    )
    return State(pod, wanted, runtime_class, tuple(nodes), clock())


def plan(state: State) -> Plan:
    """
    pod                   | lacks          | owner | what is done
    ----------------------+----------------+-------+----------------------------------------
    ends; namespace goes  | any            | any   | nothing
    any other             | nothing        | any   | nothing
    any other             | a toleration   | any   | it is added
    could not stray today | terms, or both | any   | the same: its policy keeps it from nothing
    early, or old         | terms, or both | yes   | deleted: its owner makes another
    any other             | terms, or both | yes   | the same, when it has waited for a while
    any other             | terms, or both | no    | its creator is told; so is that of a Job
    """
    pod, wanted = state.pod, state.wanted
    if pod.metadata.deletion_timestamp or wanted.metadata.deletion_timestamp:
        return NOTHING
    lacks = placement.completed(pod.spec, wanted.spec, state.runtime_class)
    if not lacks:
        return NOTHING
    may_stay = wanted.spec.pod_offloading_strategy == "LocalAndRemote"
    strays = placement.strays(pod.spec, wanted.spec, state.nodes)
    is_safe = may_stay and bool(state.nodes) and not strays  # a first node may be any
    if lacks.keys() == {"tolerations"} or (is_safe and "tolerations" in lacks):
        change = {"tolerations": lacks["tolerations"]}
        return do(Patch(pod, {"spec": change}, only_if_unchanged=True))
    if is_safe:
        return NOTHING
    if ownership.may_be_replaced(pod):
        left = _left(state)
        # One that has got a node meanwhile is not ours to end.
        return do(Delete(pod, only_if_unchanged=True)) if left <= 0 else do(wake_after=left)
    early = (
        "it was created before its namespace was offloaded, and cannot be given the constraints "
        "that hold there now; delete it and create it again, or the Job that it is of"
    )
    return do(Record(pod, "CreatedTooEarly", early, "Warning"))


def _left(state: State) -> float:
    """Seconds until it is replaced."""
    born = created(state.pod)
    if born <= created(state.wanted) + TOGETHER:
        return 0.0  # with its offloading, or before it
    return (born + PATIENCE - state.now).total_seconds()


def _is_open(here: Caches, name: str) -> bool:
    namespace = here.of(NAMESPACES).get(Key("", name))
    marks = namespace.metadata.labels if namespace is not None else {}
    return marks.get(labels.SCHEDULING_ENABLED) == "true"


def _waiting_anywhere(here: Caches, _: Resource) -> Iterable[Key]:
    """Where a selector says which nodes: those that could not stray may do so on another."""
    return [key for wanted in choosy(here) for key in _waiting_in(here, wanted)]


def _waiting_in(here: Caches, changed: Resource) -> Iterable[Key]:
    return [pod.key for pod in here.of(Pod, WAITING).by(by_namespace, changed.metadata.namespace)]


def _waiting_inside(here: Caches, namespace: Resource) -> Iterable[Key]:
    return [pod.key for pod in here.of(Pod, WAITING).by(by_namespace, namespace.metadata.name)]
