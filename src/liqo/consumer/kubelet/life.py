"""The life of a virtual kubelet: it comes with its VirtualNode, and goes once its pods are gone.

Runs on   consumer
Watches   VirtualNode, VkOptionsTemplate, Network (of pods), Deployment and Pod (of kubelets),
          Node (virtual), Pod (on one that leaves), NamespaceMap (ours)
Writes    Deployment, ServiceAccount, bindings, NamespaceMap (its metadata), VirtualNode status and
          finalizer; cordons and deletes the Node
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from msgspec import to_builtins

from liqo.api import labels
from liqo.api.ipam import Network
from liqo.api.kubernetes import Deployment, Node, Pod
from liqo.api.meta import Key, Resource
from liqo.api.offloading import (
    NamespaceMap,
    PartStatus,
    VirtualNode,
    VirtualNodeCondition,
    VirtualNodePart,
    VkOptionsTemplate,
)
from liqo.consumer.home import Home
from liqo.consumer.kubelet import forge
from liqo.consumer.kubelet.departures import HELD, departures, is_overdue
from liqo.kube.cache import Caches
from liqo.kube.indexes import Label
from liqo.kube.indexes import node as by_node
from liqo.kube.paths import Scope
from liqo.rules import conditions, names
from liqo.rules.departure import fate_of_map, is_leaving
from liqo.rules.kubelets import Surroundings, options_of
from liqo.runtime.clock import Clock
from liqo.runtime.controller import Controller
from liqo.runtime.finalizers import with_finalizer, without_finalizer
from liqo.runtime.plan import (
    NOTHING,
    Action,
    Apply,
    Delete,
    Patch,
    PatchStatus,
    Plan,
    Record,
    do,
)
from liqo.runtime.sights import VIRTUAL_NODES

FINALIZER = labels.VIRTUAL_NODE_FINALIZER
KUBELETS = Scope(labels=f"{labels.OFFLOADING_COMPONENT}=virtual-kubelet")
LISTING = 0.1  # seconds between two looks whether all pods are known
OVERDUE = 30.0  # seconds between two looks at what should have ended
# A kubelet that was to end so long ago is on a machine that is lost, and has lost its lease.
LOST = timedelta(minutes=1)
EMPTIED: frozenset[PartStatus] = frozenset({"Draining", "Deleting"})
POD_NETWORKS = f"{labels.NETWORK_TYPE}=pod-cidr"


@dataclass(frozen=True)
class State:
    wanted: VirtualNode
    options: VkOptionsTemplate | None
    here: Surroundings
    deployment: Deployment | None
    kubelets: int  # processes of it that are still there
    node: Node | None
    pods: int | None  # to wait for, where it leaves; None: nobody knows yet
    map: NamespaceMap | None
    others: tuple[VirtualNode, ...]  # of the same provider
    now: datetime

    @property
    def wants_node(self) -> bool:
        return self.wanted.spec.create_node is not False

    @property
    def is_empty(self) -> bool:
        return self.pods == 0

    @property
    def works_with_node(self) -> bool | None:
        """Whether its kubelet does, which is what ends its pods.

        wants a Node | Node  | pods    | so it does
        -------------+-------+---------+----------------------------
        yes          | any   | any     | yes
        no           | there | any     | yes, until all have left
        no           | none  | some    | yes, until they have left
        no           | none  | unknown | nobody knows: it stays as it is
        no           | none  | none    | no: it only reflects
        """
        if self.wants_node or self.node is not None:
            return True
        return None if self.pods is None else self.pods > 0

    @property
    def wait(self) -> float | None:
        """Seconds until it may be known what is on it, or nobody waits any more for what is."""
        if self.pods is None:
            return LISTING
        return OVERDUE if self.pods else None


def controller(here: Caches, home: Home, clock: Clock) -> Controller[State]:
    every = partial(_every, here)
    return Controller(
        name="consumer/kubelet/life",
        watches={
            here.of(VirtualNode): partial(_it_and_its_like, here),
            here.of(VkOptionsTemplate): every,
            here.of(Network, Scope(home.namespace, POD_NETWORKS)): every,
            here.of(Deployment, KUBELETS): _of_kubelet,
            here.of(Pod, KUBELETS): _of_kubelet,
            here.of(Node, VIRTUAL_NODES): partial(_of_node, here),
            departures(here): partial(_of_pod, here),
            here.of(NamespaceMap): partial(_of_provider, here),
        },
        observe=partial(observe, here, home, clock),
        plan=plan,
    )


def observe(here: Caches, home: Home, clock: Clock, key: Key) -> State | None:
    wanted, now = here.of(VirtualNode).get(key), clock()
    if wanted is None:
        return None
    provider = wanted.spec.cluster_id
    networks = here.of(Network, Scope(home.namespace, POD_NETWORKS))
    cidrs = sorted(network.spec.cidr for network in networks)
    kubelets = here.of(Pod, KUBELETS).by(Label(labels.VIRTUAL_NODE), key.name)
    return State(
        wanted,
        options=here.of(VkOptionsTemplate).get(options_of(wanted, home.namespace)),
        here=Surroundings(home.cluster_id, home.namespace, tuple(cidrs)),
        deployment=here.of(Deployment, KUBELETS).get(Key(key.namespace, names.kubelet(key.name))),
        kubelets=sum(
            pod.metadata.namespace == key.namespace and not is_overdue(pod, LOST, now)
            for pod in kubelets
        ),
        node=here.of(Node, VIRTUAL_NODES).get(Key("", key.name)),
        pods=_waited_for(here, wanted, now),
        map=here.of(NamespaceMap).get(Key(key.namespace, provider)),
        others=tuple(
            other
            for other in here.of(VirtualNode).by(Label(labels.REMOTE_CLUSTER_ID), provider)
            if other.key != key
        ),
        now=now,
    )


def plan(state: State) -> Plan:
    """
    VirtualNode   | wants a Node | pods  | kubelet | what is done
    --------------+--------------+-------+---------+--------------------------------------------
    live          | yes          | any   | any     | kubelet, rights, map; says how they are; new
                  |              |       |         | pods again, if it wanted no Node before
    live          | no           | some? | any     | the same; no new pods on its Node
    live          | no           | none  | any     | the same; the Node goes, then the kubelet
                  |              |       |         | is one that only reflects
    being deleted | any          | some? | any     | no new pods; those there are evicted (evict)
    being deleted | any          | none  | some    | the kubelet goes
    being deleted | any          | none  | none    | Node, then the map if it is the last, rights

    Pods that nothing ends, for others hold them, are waited for as long as their eviction is
    patient; the processes of a kubelet, until they can only be on a machine that is lost.
    """
    if state.wanted.metadata.deletion_timestamp is not None:
        return _withdraw(state)
    if state.options is None and state.wanted.spec.template is None:
        return NOTHING  # nobody knows how to start it; the webhook said so
    needed = forge.everything(state.wanted, state.options, state.here, state.works_with_node)
    return do(
        *with_finalizer(state.wanted, FINALIZER),
        *map(Apply, needed),
        *(_opened_again(state) if state.wants_node else _without_node(state)),
        *_said(state, kubelet=_kubelet_status(state), node=_node_status(state)),
        *_announced(state),
        wake_after=state.wait,
    )


def _withdraw(state: State) -> Plan:
    wanted = state.wanted
    if FINALIZER not in wanted.metadata.finalizers:
        return NOTHING
    if not state.is_empty:
        said = _said(state, kubelet=_kubelet_status(state), node="Draining")
        return do(*_cordoned(state.node), *said, wake_after=state.wait)
    if state.deployment is not None or state.kubelets:
        gone = [Delete(state.deployment)] if state.deployment is not None else []
        told = _event(wanted, "VkDeleted", "Deleting virtual-kubelet")
        said = _said(state, kubelet="Deleting", node="Deleting")
        return do(*gone, told, *said, wake_after=OVERDUE)
    if state.node is not None:
        return do(Delete(state.node))
    if state.map is not None and (fate := fate_of_map(wanted, state.others)) != "stays":
        # And come back when it is gone, or when another one is.
        return do(Delete(state.map)) if fate == "goes" else NOTHING
    return do(*map(Delete, forge.rights_of(wanted)), *without_finalizer(wanted, FINALIZER))


def _without_node(state: State) -> Iterator[Action]:
    if not state.is_empty:
        yield from _cordoned(state.node)
    elif state.node is not None:
        yield Delete(state.node)


def _opened_again(state: State) -> Iterator[Action]:
    """What we closed is known by what we say of it: another cordon is an administrator's."""
    said = conditions.find(state.wanted.status.conditions, "Node")
    is_ours = said is not None and said.status in EMPTIED
    if is_ours and state.node is not None and state.node.spec.get("unschedulable"):
        yield Patch(state.node, {"spec": {"unschedulable": None}})


def _cordoned(node: Node | None) -> Iterator[Action]:
    if node is not None and not node.spec.get("unschedulable"):
        yield Patch(node, {"spec": {"unschedulable": True}})


def _kubelet_status(state: State) -> PartStatus:
    ready = state.deployment.status.get("readyReplicas", 0) if state.deployment else 0
    return "Running" if ready else "Creating"


def _node_status(state: State) -> PartStatus:
    if not state.wants_node:
        return "None" if state.node is None else "Deleting" if state.is_empty else "Draining"
    return "Running" if state.node is not None else "Creating"


def _said(state: State, *, kubelet: PartStatus, node: PartStatus) -> Iterator[Action]:
    before = state.wanted.status.conditions
    after = before
    told: tuple[tuple[VirtualNodePart, PartStatus], ...] = (
        ("VirtualKubelet", kubelet),
        ("Node", node),
    )
    for part, status in told:
        new = VirtualNodeCondition(type=part, status=status)
        old = conditions.find(after, part)
        if old is None or old.status != status:
            after = conditions.with_condition(after, new, state.now)
    if after != before:
        yield PatchStatus(state.wanted, {"conditions": [to_builtins(each) for each in after]})


def _announced(state: State) -> Iterator[Action]:
    if state.deployment is None:
        yield _event(state.wanted, "VkCreated", "Launching virtual-kubelet")


def _event(wanted: VirtualNode, reason: str, what: str) -> Record:
    where = f"in namespace {wanted.metadata.namespace}"
    name = f" {wanted.metadata.name}" if reason == "VkCreated" else ""
    return Record(wanted, reason, f"[{wanted.spec.cluster_id}] {what}{name} {where}")


def _every(here: Caches, _: Resource) -> Iterable[Key]:
    return [wanted.key for wanted in here.of(VirtualNode)]


def _it_and_its_like(here: Caches, changed: Resource) -> Iterable[Key]:
    """Who of a provider's VirtualNodes is the last takes along what they share."""
    return {changed.key, *_of_provider(here, changed)}


def _of_provider(here: Caches, changed: Resource) -> Iterable[Key]:
    provider = changed.metadata.labels.get(labels.REMOTE_CLUSTER_ID, "")
    found = here.of(VirtualNode).by(Label(labels.REMOTE_CLUSTER_ID), provider)
    return [wanted.key for wanted in found]


def _of_kubelet(changed: Resource) -> Iterable[Key]:
    name = changed.metadata.labels.get(labels.VIRTUAL_NODE)
    return (Key(changed.metadata.namespace, name),) if name else ()


def _of_node(here: Caches, changed: Resource) -> Iterable[Key]:
    return [wanted.key for wanted in _named(here, changed.metadata.name)]


def _of_pod(here: Caches, changed: Resource) -> Iterable[Key]:
    return [wanted.key for name in by_node(changed) for wanted in _named(here, name)]


def _waited_for(here: Caches, wanted: VirtualNode, now: datetime) -> int | None:
    """Of one that stays nobody asks."""
    if not is_leaving(wanted):
        return 0
    pods = departures(here).on(wanted.metadata.name)
    return sum(not is_overdue(pod, HELD, now) for pod in pods) if pods is not None else None


def _named(here: Caches, name: str) -> list[VirtualNode]:
    """A Node has the name of its VirtualNode, and that is unique in the cluster."""
    return [wanted for wanted in here.of(VirtualNode) if wanted.metadata.name == name]
