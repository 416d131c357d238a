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
from datetime import datetime
from functools import partial

from msgspec import to_builtins

from liqo.api.kubernetes import Lease, Node
from liqo.api.meta import JSON, Key, OwnerReference
from liqo.kube.cache import Caches
from liqo.kube.paths import Scope
from liqo.rules import names
from liqo.runtime.clock import Clock, micro_timestamp
from liqo.runtime.controller import Controller
from liqo.runtime.plan import NOTHING, Create, Manifest, Patch, Plan, do

RENEW_AT = 0.25  # of the duration, as kubelets do it


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
    left = due - _age(lease, state.now)
    if left > 0 and lease.spec.get("holderIdentity") == node.metadata.name:
        return do(wake_after=left)
    return do(Patch(lease, {"spec": _renewed(state)}), wake_after=due)


def _renewed(state: State) -> JSON:
    return {
        "holderIdentity": state.node.metadata.name,
        "leaseDurationSeconds": state.duration,
        "renewTime": micro_timestamp(state.now),
    }


def _age(lease: Lease, now: datetime) -> float:
    renewed = lease.spec.get("renewTime")
    return (now - datetime.fromisoformat(renewed)).total_seconds() if renewed else float("inf")


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
