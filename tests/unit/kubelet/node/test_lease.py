"""The Lease of the Node goes on as long as we do."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from liqo.api import labels
from liqo.api.kubernetes import Lease
from liqo.api.meta import Key, Meta
from liqo.kubelet.node.lease import State, controller, observe, plan
from liqo.rules import names
from liqo.runtime.clock import micro_timestamp
from liqo.runtime.plan import NOTHING, Create, Patch, do
from tests.unit.kubelet.node import things
from tests.unit.kubelet.node.things import NOW, a_node, raw

KEY = Key("", "milan")
RENEWED = {
    "holderIdentity": "milan",
    "leaseDurationSeconds": 40,
    "renewTime": "2026-11-16T12:00:00.000000Z",
}


def a_lease(age: float = 0.0, holder: str = "milan") -> Lease:
    renewed = micro_timestamp(NOW - timedelta(seconds=age))
    return Lease(
        metadata=Meta(name="milan", namespace=names.NODE_LEASES, uid="l-1", resource_version="1"),
        raw_spec=raw({"holderIdentity": holder, "renewTime": renewed}),
    )


def test_a_node_gets_its_lease_and_takes_it_along() -> None:
    decided = plan(State(a_node(), None, 40, NOW))
    [made] = decided.actions
    assert isinstance(made, Create)
    body = made.object.body  # type: ignore[union-attr]
    assert body["spec"] == RENEWED
    assert body["metadata"]["ownerReferences"][0]["uid"] == "n-1"
    assert decided.wake_after == 10


def test_it_is_renewed_at_a_quarter_of_its_time() -> None:
    assert plan(State(a_node(), a_lease(4), 40, NOW)) == do(wake_after=6)
    due = a_lease(10)
    assert plan(State(a_node(), due, 40, NOW)) == do(Patch(due, {"spec": RENEWED}), wake_after=10)


def test_one_that_somebody_else_holds_is_taken() -> None:
    other = a_lease(1, holder="else")
    assert plan(State(a_node(), other, 40, NOW)).actions == (Patch(other, {"spec": RENEWED}),)


def test_one_of_the_future_is_renewed_to_a_moment_later_and_then_as_usual() -> None:
    """Made by another clock: Kubernetes takes note of later times only."""
    ahead = a_lease(-120)
    decided = plan(State(a_node(), ahead, 40, NOW))
    [renewed] = decided.actions
    assert isinstance(renewed, Patch)
    assert renewed.change["spec"]["renewTime"] == "2026-11-16T12:02:00.001000Z"
    assert decided.wake_after == 10
    written = msgspec.structs.replace(
        ahead,
        metadata=msgspec.structs.replace(ahead.metadata, **renewed.change["metadata"]),
        raw_spec=raw(renewed.change["spec"]),
    )
    assert plan(State(a_node(), written, 40, NOW)) == do(wake_after=10), "what we wrote is no news"
    later = plan(State(a_node(), written, 40, NOW + timedelta(seconds=10)))
    [again] = later.actions
    assert isinstance(again, Patch)
    assert again.change["spec"]["renewTime"] == "2026-11-16T12:02:00.002000Z"
    caught_up = plan(State(a_node(), written, 40, NOW + timedelta(minutes=3)))
    [plain] = caught_up.actions
    assert isinstance(plain, Patch)
    assert plain.change["metadata"] == {"annotations": {labels.RENEWED_AT: None}}
    assert plain.change["spec"]["renewTime"] == "2026-11-16T12:03:00.000000Z"


def test_one_without_a_time_is_due() -> None:
    empty = Lease(metadata=a_lease().metadata, raw_spec=raw({"holderIdentity": "milan"}))
    assert plan(State(a_node(), empty, 40, NOW)).actions == (Patch(empty, {"spec": RENEWED}),)


def test_a_node_that_goes_needs_none() -> None:
    going = a_node(deletion_timestamp="2026-11-16T12:00:00Z")
    assert plan(State(going, None, 40, NOW)) == NOTHING


def test_the_lease_is_seen_with_its_node() -> None:
    here = things.caches()
    watches = controller(here, "milan", 40, lambda: NOW).watches
    assert [set(keys_of(None)) for keys_of in watches.values()] == [{KEY}] * 2
    assert observe(here, 40, lambda: NOW, KEY) is None
    nodes, leases = watches
    nodes.take(a_node())
    leases.take(a_lease())
    state = observe(here, 40, lambda: NOW, KEY)
    assert state == State(a_node(), a_lease(), 40, NOW)
