"""The Node itself: it comes with the kubelet, comes back when deleted, and tells the truth.

Runs on   consumer, in the virtual kubelet
Watches   VirtualNode and Node (its own), ForeignCluster (of its provider), the probe
Writes    Node: its labels and annotations, its taints, its status; tells on the VirtualNode what
          no Node can have
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from liqo.api import labels
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Condition, Node
from liqo.api.meta import JSON, Key
from liqo.api.offloading import VirtualNode
from liqo.kube.cache import Caches
from liqo.kube.errors import Conflict, KubeError, Refused
from liqo.kube.indexes import Label
from liqo.kube.paths import Scope
from liqo.kubelet.node import face as faces
from liqo.kubelet.node import taints
from liqo.kubelet.node.face import Face, Network
from liqo.kubelet.node.health import Health
from liqo.kubelet.node.probe import Probe
from liqo.rules import conditions
from liqo.runtime.clock import Clock
from liqo.runtime.controller import Controller
from liqo.runtime.plan import (
    NOTHING,
    Action,
    Apply,
    Create,
    Manifest,
    Part,
    Patch,
    PatchStatus,
    Plan,
    Record,
    do,
)

REPORT = 300.0  # seconds between two reports of a Node that does not change, as kubelets do it
HEARTBEATS = ("lastHeartbeatTime", "lastTransitionTime")
REFUSED = "NodeRefused"


@dataclass(frozen=True)
class State:
    wanted: VirtualNode
    node: Node | None
    face: Face
    health: Health
    network: Network
    now: datetime


@dataclass(frozen=True)
class Place:
    """Where this kubelet finds what it shows."""

    namespace: str  # of its VirtualNode
    face: Face
    checks_network: bool = True

    @property
    def itself(self) -> Scope:
        return Scope(fields=f"metadata.name={self.face.name}")

    @property
    def virtual(self) -> Scope:
        """With those of the same provider, if there are more: reflection looks at them, too."""
        return Scope(self.namespace)

    @property
    def provider(self) -> Scope:
        return Scope(labels=f"{labels.REMOTE_CLUSTER_ID}={self.face.provider}")


def controller(here: Caches, place: Place, probe: Probe, clock: Clock) -> Controller[State]:
    this = partial(_this, place)
    return Controller(
        name="kubelet/node/show",
        watches={
            here.of(VirtualNode, place.virtual): this,
            here.of(Node, place.itself): this,
            here.of(ForeignCluster, place.provider): this,
            probe: this,
        },
        observe=partial(observe, here, place, probe, clock),
        plan=plan,
        failed=failed,
        part_failed=part_failed,
    )


def observe(here: Caches, place: Place, probe: Probe, clock: Clock, key: Key) -> State | None:
    wanted = here.of(VirtualNode, place.virtual).get(Key(place.namespace, key.name))
    if wanted is None or wanted.metadata.deletion_timestamp is not None:
        return None  # the Node stays until its pods have left; others see to that
    node = here.of(Node, place.itself).get(key)
    return State(wanted, node, place.face, probe.health, _network(here, place), clock())


def plan(state: State) -> Plan:
    """
    Node          | VirtualNode   | what is done
    --------------+---------------+--------------------------------------------------------
    none          | wants one     | made, with its labels and taints; its status follows
    none          | wants none    | nothing: it went once its pods had left
    being deleted | any           | nothing: it is made again when it is gone
    there         | any           | taints; labels and annotations; its status, if it changed

    That a provider is lost is part of the status, and must be told whatever else is refused, or
    waits. Taints that meet a status which is new in the same moment are decided anew.
    """
    node = state.node
    if node is None:
        if state.wanted.spec.create_node is False:
            return NOTHING
        return do(Create(_new(state)), *_told(state))
    if node.metadata.deletion_timestamp is not None:
        return NOTHING
    marks = Part("marks", (*_tainted(state, node), Apply(_marked(state)), *_told(state)))
    status = Part("status", tuple(_reported(state, node)))
    return do(parts=(marks, status), wake_after=REPORT)


def failed(state: State, error: KubeError) -> Plan:
    if not isinstance(error, Refused) or isinstance(error, Conflict):
        return NOTHING
    name = state.face.name
    return do(Record(state.wanted, REFUSED, f'the Node "{name}" is refused: {error}', "Warning"))


def part_failed(state: State, _: str, error: KubeError) -> Plan:
    return failed(state, error)


def _told(state: State) -> Iterator[Record]:
    if without := faces.unfit(state.face, state.wanted):
        words = f'the Node "{state.face.name}" is without what no Node can have: '
        yield Record(state.wanted, REFUSED, words + ", ".join(without), "Warning")


def _new(state: State) -> Manifest:
    metadata = {
        "name": state.face.name,
        "labels": faces.marks(state.face, state.wanted),
        "annotations": faces.notes(state.face, state.wanted),
    }
    spec = {"taints": taints.wanted(state.wanted)}
    return Manifest(Node.KIND, {"metadata": metadata, "spec": spec})


def _marked(state: State) -> Manifest:
    """Applied, so that a label which the provider takes back goes from the Node too."""
    metadata = {
        "name": state.face.name,
        "labels": faces.marks(state.face, state.wanted),
        "annotations": faces.notes(state.face, state.wanted),
    }
    return Manifest(Node.KIND, {"metadata": metadata})


def _tainted(state: State, node: Node) -> Iterator[Action]:
    """The list is one: with those of others, and only if they have not changed it meanwhile.

    Before the annotation that says which are ours: what is not done must not be forgotten.
    """
    settled = taints.settled(node, state.wanted)
    if settled is not None:
        yield Patch(node, {"spec": {"taints": settled}}, only_if_unchanged=True)


def _reported(state: State, node: Node) -> Iterator[Action]:
    said: dict[str, Any] = dict(node.status)
    old: list[Condition] = said.get("conditions", [])
    new = faces.conditions(state.wanted, state.health, state.network, state.now, old)
    wanted = faces.status(state.face, state.wanted, new)
    if _is_told(wanted, said) and not _is_stale(old, state.now):
        return
    gone = ({each["type"] for each in old} & faces.OURS) - {each["type"] for each in new}
    withdrawn: list[JSON] = [{"$patch": "delete", "type": kind} for kind in sorted(gone)]
    amounts = {key: _whole(wanted[key], said.get(key, {})) for key in ("allocatable", "capacity")}
    change = {**wanted, **amounts, "conditions": [*new, *withdrawn]}
    yield PatchStatus(node, change, form="strategic")


def _whole(wanted: JSON, said: JSON) -> JSON:
    """P-NODE3: what is no longer offered goes."""
    return {**dict.fromkeys(said.keys() - wanted.keys()), **wanted}


def _is_told(wanted: JSON, said: JSON) -> bool:
    """The times aside, which change every time."""
    parts = wanted.keys() - {"conditions", "nodeInfo"}
    return (
        all(wanted[part] == said.get(part, type(wanted[part])()) for part in parts)
        and wanted["nodeInfo"].items() <= said.get("nodeInfo", {}).items()
        and _claims(wanted["conditions"]) == _claims(said.get("conditions", []))
    )


def _claims(conditions: Iterable[Condition]) -> dict[str, JSON]:
    """Ours: what others put there stays, and says nothing to us."""
    return {
        each["type"]: {part: value for part, value in each.items() if part not in HEARTBEATS}
        for each in conditions
        if each["type"] in faces.OURS
    }


def _is_stale(old: list[Condition], now: datetime) -> bool:
    heard = [each.get("lastHeartbeatTime") for each in old if each["type"] in faces.OURS]
    times = [datetime.fromisoformat(each) for each in heard if each]
    return not times or (now - min(times)).total_seconds() >= REPORT


def _network(here: Caches, place: Place) -> Network:
    """Of the module, if there is one: until it has said anything, nothing is expected of it."""
    known = here.of(ForeignCluster, place.provider).by(
        Label(labels.REMOTE_CLUSTER_ID), place.face.provider
    )
    status = known[0].status if known else None
    module = status.modules.networking if status and status.modules else None
    if module is None or not module.enabled or not place.checks_network:
        return Network()
    found = conditions.find(module.conditions, "NetworkConnectionStatus")
    return Network(shown=True, established=found is not None and found.status == "Established")


def _this(place: Place, _: object) -> Iterable[Key]:
    return (Key("", place.face.name),)
