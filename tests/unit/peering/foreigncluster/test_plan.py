"""A summary comes with the first thing of a peer, and goes after the last."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import msgspec

from liqo.api import labels
from liqo.api.core import ForeignCluster
from liqo.api.meta import Key
from liqo.peering.foreigncluster.peer import Peer
from liqo.peering.foreigncluster.plan import (
    FINALIZER,
    LOOK_AGAIN,
    State,
    Surroundings,
    controller,
    new,
    observe,
    plan,
)
from liqo.runtime.plan import NOTHING, Apply, Delete, Patch, Record, do
from liqo.runtime.requests import body_of
from tests.captured import captured, comparable
from tests.unit.consumer import things
from tests.unit.consumer.replication.routes import GOING
from tests.unit.peering.foreigncluster import peers

NOW = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
PROVIDER = Peer("milan", identity=peers.an_identity())


def a_summary(**metadata: Any) -> ForeignCluster:
    given = {"uid": "1", "resource_version": "1", "generation": 1, **metadata}
    made = new("milan")
    return msgspec.structs.replace(made, metadata=msgspec.structs.replace(made.metadata, **given))


def state(peer: Peer, summary: ForeignCluster | None, alive: bool | None = True) -> State:
    return State(peer, summary, alive, NOW)


def test_of_nothing_there_is_no_summary() -> None:
    assert plan(state(Peer("milan"), None)) == NOTHING
    assert plan(state(Peer("milan", namespaces=("liqo-tenant-milan",)), None)) == NOTHING


def test_the_first_thing_of_a_peer_makes_one() -> None:
    assert plan(state(PROVIDER, None)) == do(Apply(new("milan")))
    wanted = captured("consumer", "ForeignCluster", "milan")
    del wanted["status"]
    assert comparable(body_of(new("milan"))) == comparable(wanted)


def test_r9_the_status_is_written_once_and_whole() -> None:
    held = a_summary(finalizers=(FINALIZER,))
    decided = plan(state(PROVIDER, held))
    (apply,) = decided.actions
    assert isinstance(apply, Apply)
    assert apply.subresource == "status"
    written = body_of(apply.object)["status"]
    assert (written["role"], written["observedGeneration"]) == ("Provider", 1)
    assert decided.wake_after == LOOK_AGAIN


def test_our_finalizer_is_there_while_the_api_server_is_asked() -> None:
    patch, _ = plan(state(PROVIDER, a_summary())).actions
    assert isinstance(patch, Patch)
    assert patch.change["metadata"]["finalizers"] == [FINALIZER]
    left = Peer("milan", namespaces=("liqo-tenant-milan",))
    decided = plan(state(left, a_summary(finalizers=(FINALIZER,))))
    patch, status = decided.actions
    assert isinstance(patch, Patch)
    assert patch.change["metadata"]["finalizers"] is None
    assert isinstance(status, Apply)
    assert body_of(status.object)["status"]["role"] == "Unknown"
    assert decided.wake_after is None


def test_with_the_last_of_a_peer_its_summary_goes() -> None:
    assert plan(state(Peer("milan"), a_summary())) == do(Delete(a_summary()))


def test_a_summary_that_somebody_deletes_is_let_go() -> None:
    going = a_summary(deletion_timestamp=GOING, finalizers=(FINALIZER,))
    (patch,) = plan(state(PROVIDER, going)).actions
    assert isinstance(patch, Patch)
    assert patch.change["metadata"]["finalizers"] is None


def test_what_is_observed() -> None:
    here = things.caches()
    around = Surroundings(alive={"milan": True}.get, clock=lambda: NOW, networking=False)
    assert controller(here, around).name == "peering/foreigncluster"
    things.put(here, peers.an_identity())
    things.put(here, a_summary())
    assert observe(here, around, Key("", "milan")) == state(PROVIDER, a_summary())
    assert observe(here, around, Key("", "rome")) == state(Peer("rome"), None, None)


def test_a_peer_that_was_declared_dead_is_so_only_until_nothing_of_it_is_left() -> None:
    dead = a_summary(annotations={labels.PERMANENTLY_UNREACHABLE: "true"})
    revived = Patch(dead, {"metadata": {"annotations": {labels.PERMANENTLY_UNREACHABLE: None}}})
    assert revived in plan(state(Peer("milan", namespaces=("liqo-tenant-milan",)), dead)).actions
    assert revived not in plan(state(PROVIDER, dead)).actions
    assert plan(state(Peer("milan"), dead)) == do(Delete(dead))


def test_R17_several_namespaces_of_one_peer_are_reported() -> None:
    held = a_summary(finalizers=(FINALIZER,))
    twice = replace(PROVIDER, namespaces=("liqo-tenant-milan", "spare"))
    *_, told = plan(state(twice, held)).actions
    assert isinstance(told, Record)
    assert (told.about, told.type) == (held, "Warning")
    assert "liqo-tenant-milan, spare" in told.message
