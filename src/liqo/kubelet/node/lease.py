"""The Lease of a Node: renewed as long as this process lives, whatever its provider does.

So that Kubernetes can tell a kubelet that died from one whose provider does not answer: the latter
says so itself, in the Node's conditions.

Runs on   consumer, in the virtual kubelet
Watches   Node (its own), its Lease
Writes    Lease in kube-node-lease
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from msgspec import to_builtins

from liqo.api import labels
from liqo.api.kubernetes import Lease, Node
from liqo.api.meta import JSON, Key, OwnerReference
from liqo.kube.cache import Caches
from liqo.kube.paths import Scope
from liqo.rules import names
from liqo.runtime.clock import Clock, micro_timestamp
from liqo.runtime.controller import Controller
from liqo.runtime.plan import NOTHING, Create, Manifest, Patch, Plan, do

RENEW_AT = 0.25  # of the duration, as kubelets do it
TICK = timedelta(milliseconds=1)


@dataclass(frozen=True)
class State:
    node: Node
    lease: Lease | None
    duration: int  # seconds
    now: datetime


def controller(here: Caches, name: str, duration: int, clock: Clock) -> Controller[State]:
    this = partial(_this, name)
    return Controller(
        name="kubelet/node/lease",
        watches={here.of(Node, _itself(name)): this, here.of(Lease, _own(name)): this},
        observe=partial(observe, here, duration, clock),
        plan=plan,
    )


def observe(here: Caches, duration: int, clock: Clock, key: Key) -> State | None:
    node = here.of(Node, _itself(key.name)).get(key)
    if node is None:
        return None
    return State(
        node,
        here.of(Lease, _own(key.name)).get(Key(names.NODE_LEASES, key.name)),
        duration,
        clock(),
    )


def plan(state: State) -> Plan:
    """
    Lease             | what is done
    ------------------+--------------------------
    none              | made
    renewed lately    | nothing, until it is due
    due, or another's | renewed
    of the future     | renewed, to a moment later: another clock made it, or ours before it was
                      | set back, and Kubernetes takes note of later times only
    """
    lease, node = state.lease, state.node
    if node.metadata.deletion_timestamp is not None:
        return NOTHING
    due = state.duration * RENEW_AT
    if lease is None:
        metadata = {
            "name": node.metadata.name,
            "namespace": names.NODE_LEASES,
            "ownerReferences": [to_builtins(_owner(node))],
        }
        body = {"metadata": metadata, "spec": _renewed(state)}
        return do(Create(Manifest(Lease.KIND, body)), wake_after=due)
    age = _age(lease, state.now)
    if 0 <= age < due and lease.spec.get("holderIdentity") == node.metadata.name:
        return do(wake_after=due - age)
    return do(Patch(lease, _renewal(lease, state)), wake_after=due)


def _renewal(lease: Lease, state: State) -> JSON:
    """Where the time in the Lease is not ours, an annotation has ours."""
    spec, last = _renewed(state), _time(lease.spec.get("renewTime"))
    ours = None
    if last is not None and last >= state.now:
        spec["renewTime"], ours = micro_timestamp(last + TICK), micro_timestamp(state.now)
    if ours == lease.metadata.annotations.get(labels.RENEWED_AT):
        return {"spec": spec}
    return {"metadata": {"annotations": {labels.RENEWED_AT: ours}}, "spec": spec}


def _renewed(state: State) -> JSON:
    return {
        "holderIdentity": state.node.metadata.name,
        "leaseDurationSeconds": state.duration,
        "renewTime": micro_timestamp(state.now),
    }


def _age(lease: Lease, now: datetime) -> float:
    said = lease.metadata.annotations.get(labels.RENEWED_AT) or lease.spec.get("renewTime")
    renewed = _time(said)
    return (now - renewed).total_seconds() if renewed is not None else float("inf")


def _time(said: str | None) -> datetime | None:
    return datetime.fromisoformat(said) if said else None


def _owner(node: Node) -> OwnerReference:
    return OwnerReference(
        api_version="v1", kind="Node", name=node.metadata.name, uid=node.metadata.uid
    )


def _itself(name: str) -> Scope:
    return Scope(fields=f"metadata.name={name}")


def _own(name: str) -> Scope:
    return Scope(names.NODE_LEASES, fields=f"metadata.name={name}")


def _this(name: str, _: object) -> Iterable[Key]:
    return (Key("", name),)
