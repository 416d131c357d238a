"""The homebound: pods that got a node of ours just before their namespace was to send all away.

Who applies a Deployment and its NamespaceOffloading at once means both, whichever comes first. But
a scheduler is quick. So what was created in the same moment, runs at home against its policy and
has an owner who makes another is deleted. Pods that were there before stay, as they always did.

Runs on   consumer
Watches   NamespaceOffloading, Pod (in namespaces that were opened seconds ago)
Writes    deletes Pods
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from liqo.api.kubernetes import Node, Pod
from liqo.api.meta import Key, Resource
from liqo.api.offloading import NamespaceOffloading
from liqo.kube.cache import Caches
from liqo.kube.indexes import namespace as by_namespace
from liqo.kube.indexes import node as by_node
from liqo.kube.namespaced import Namespaced, Namespaces
from liqo.rules import offloading, opening, ownership
from liqo.rules.opening import TOGETHER, created
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import NOTHING, Delete, Plan, do
from liqo.runtime.sights import NAMESPACES, VIRTUAL_NODES


@dataclass(frozen=True)
class State:
    pod: Pod
    wanted: NamespaceOffloading


def controller(here: Caches) -> Controller[State]:
    return Controller(
        name="consumer/offloading/homebound",
        watches={
            beginning(here): itself,
            here.of(NamespaceOffloading): partial(_inside, here),
        },
        observe=partial(observe, here),
        plan=plan,
    )


def beginning(here: Caches) -> Namespaced[Pod]:
    return here.within(Namespaces(here.of(NAMESPACES), fresh), Pod)


def fresh(namespace: Resource) -> Iterable[str]:
    """Itself, if no pod may stay at home, until the note of that goes (see closing.py)."""
    return (namespace.metadata.name,) if opening.strategy_of(namespace) == "Remote" else ()


def observe(here: Caches, key: Key) -> State | None:
    """None where it has no node yet, or one of a provider's."""
    pod = beginning(here).get(key)
    wanted = here.of(NamespaceOffloading).get(Key(key.namespace, offloading.NAME))
    names = by_node(pod) if pod is not None else ()
    nodes = here.of(Node, VIRTUAL_NODES)
    at_home = any(nodes.get(Key("", name)) is None for name in names)
    return State(pod, wanted) if pod is not None and wanted is not None and at_home else None


def plan(state: State) -> Plan:
    """
    pod                         | owner           | what is done
    ----------------------------+-----------------+--------------------------------------------
    ends, or may stay after all | any             | nothing
    older than its offloading   | any             | nothing: it was there before
    younger                     | any             | nothing: it was completed, or never will be
    of the same moment          | none, DaemonSet | nothing: nobody makes another elsewhere
    of the same moment          | Job             | nothing: it would count as failed
    of the same moment          | any other       | deleted
    """
    pod, wanted = state.pod, state.wanted
    may_stay = wanted.spec.pod_offloading_strategy != "Remote"
    if pod.metadata.deletion_timestamp or wanted.metadata.deletion_timestamp or may_stay:
        return NOTHING
    if abs(created(pod) - created(wanted)) > TOGETHER:
        return NOTHING
    is_pinned = ownership.controller_of(pod) == "DaemonSet"
    return do(Delete(pod)) if ownership.may_be_replaced(pod) and not is_pinned else NOTHING


def _inside(here: Caches, wanted: Resource) -> Iterable[Key]:
    """Its namespace is opened before it is stored, and pods may be seen before it is."""
    return [pod.key for pod in beginning(here).by(by_namespace, wanted.metadata.namespace)]
