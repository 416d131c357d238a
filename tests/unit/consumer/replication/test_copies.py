"""Specs go out, statuses come back; every row of the decision table."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.authentication import ResourceSlice
from liqo.api.core import ForeignCluster
from liqo.api.offloading import NamespaceMap
from liqo.consumer.replication.copies import (
    FINALIZER,
    State,
    controller,
    failed,
    forge,
    observe,
    plan,
)
from liqo.consumer.replication.route import Link, Replicated
from liqo.kube.errors import Conflict, Forbidden, Invalid, KubeError, Unauthorized, Unreachable
from liqo.runtime.plan import NOTHING, Create, Delete, Patch, PatchStatus, Plan, Record, do
from liqo.runtime.requests import body_of
from tests.captured import captured, comparable
from tests.unit.consumer import things
from tests.unit.consumer.replication.routes import GOING, ROUTE, a_foreign_cluster

HELD: dict[str, Any] = {"finalizers": (FINALIZER,)}


def decide(local: Replicated | None, copy: Replicated | None, link: Link = "open") -> Plan:
    return plan(State(local, copy, ROUTE, link))


def a_copy(**metadata: Any) -> ResourceSlice:
    made = forge(things.a_request(), ROUTE)
    assert isinstance(made, ResourceSlice)
    there = {"uid": "there", "resource_version": "7", **metadata}
    return msgspec.structs.replace(made, metadata=msgspec.structs.replace(made.metadata, **there))


def finalizers(decided: Plan) -> object:
    (patch,) = decided.actions
    assert isinstance(patch, Patch)
    assert patch.on == "local"
    return patch.change["metadata"]["finalizers"]


@pytest.mark.parametrize(
    "local",
    [
        things.a_renew(),
        things.a_request(csr=b"r" * 306),
        NamespaceMap(metadata=things.meta("milan", labels=things.REPLICATED)),
    ],
)
def test_the_copy_is_the_captured_one(local: Replicated) -> None:
    wanted = captured("provider", local.KIND.name, local.metadata.name)
    wanted.pop("status", None)
    if wanted["spec"] == {}:
        del wanted["spec"]
    assert comparable(body_of(forge(local, ROUTE))) == comparable(wanted)


def test_a_live_object_gets_our_finalizer_before_its_copy() -> None:
    assert finalizers(decide(things.a_request(), None)) == [FINALIZER]
    others = things.a_request(finalizers=("other",))
    assert finalizers(decide(others, None)) == ["other", FINALIZER]


def test_a_live_object_gets_its_copy() -> None:
    local = things.a_request(**HELD)
    assert decide(local, None) == do(Create(forge(local, ROUTE), on="remote"))


def test_what_never_travels() -> None:
    local = things.a_request(labels={**things.REPLICATED, labels.OWNERSHIP: "Shared"})
    made = forge(local, ROUTE)
    assert labels.OWNERSHIP not in made.metadata.labels
    assert not made.metadata.finalizers
    assert not made.metadata.owner_references


def test_only_what_differs_goes_out() -> None:
    local = things.a_request(csr=b"new", **HELD)
    (patch,) = decide(local, a_copy()).actions
    assert patch == Patch(a_copy(), {"spec": {"csr": "bmV3"}}, on="remote")


def test_a_status_comes_back() -> None:
    local = things.a_request(**HELD)
    copy = msgspec.structs.replace(a_copy(), status=things.a_status(resources="Accepted"))
    (patch,) = decide(local, copy).actions
    assert patch == PatchStatus(local, msgspec.to_builtins(copy.status))


def test_a_status_that_lost_something_loses_it_here() -> None:
    status = things.a_status(resources="Accepted")
    local = msgspec.structs.replace(things.a_request(**HELD), status=status)
    less = msgspec.structs.replace(status, resources={"cpu": "4"})
    (patch,) = decide(local, msgspec.structs.replace(a_copy(), status=less)).actions
    assert isinstance(patch, PatchStatus)
    assert patch.status == {"resources": {"memory": None, "pods": None, "ephemeral-storage": None}}


def test_an_answer_comes_back_before_a_spec_goes_out_that_may_be_refused() -> None:
    local = things.a_request(csr=b"new", **HELD)
    copy = msgspec.structs.replace(a_copy(), status=things.a_status(resources="Accepted"))
    back, out = decide(local, copy).actions
    assert back == PatchStatus(local, msgspec.to_builtins(copy.status))
    assert out == Patch(copy, {"spec": {"csr": "bmV3"}}, on="remote")


LIVE, NO = things.a_request(**HELD), Forbidden("milan: the class is granted")
WARNED = do(
    Record(
        LIVE,
        "ReplicationRefused",
        'The provider "milan" refuses what is asked of it: the class is granted',
        "Warning",
    )
)


@pytest.mark.parametrize(
    ("local", "error", "told"),
    [
        (LIVE, NO, WARNED),
        (LIVE, Invalid("milan: the class is granted"), WARNED),
        (LIVE, Forbidden("the local cluster: no"), NOTHING),
        (LIVE, Conflict("milan: too late"), NOTHING),
        (LIVE, Unauthorized("milan: who are you?"), NOTHING),
        (LIVE, Unreachable("milan: no answer"), NOTHING),
        (things.a_request(deletion_timestamp=GOING, **HELD), NO, NOTHING),
        (None, NO, NOTHING),
    ],
)
def test_who_asks_is_told_what_the_provider_refuses(
    local: Replicated | None, error: KubeError, told: Plan
) -> None:
    assert failed(State(local, a_copy(), ROUTE, "open"), error) == told


def test_what_is_in_step_is_left_alone() -> None:
    assert decide(things.a_request(**HELD), a_copy()) == NOTHING


def test_a_copy_that_is_going_is_not_touched() -> None:
    going = a_copy(deletion_timestamp=GOING)
    assert decide(things.a_request(csr=b"new", **HELD), going) == NOTHING


@pytest.mark.parametrize("link", ["unknown", "dead"])
def test_nothing_goes_out_while_we_do_not_know_what_is_there(link: Link) -> None:
    assert decide(things.a_request(**HELD), None, link) == NOTHING


def test_r6_rights_that_were_withdrawn_are_tried_again() -> None:
    """A tenant that was drained may become active: then our objects come back."""
    local = things.a_request(**HELD)
    assert decide(local, None, "withdrawn") == do(Create(forge(local, ROUTE), on="remote"))


def test_r8_labels_and_annotations_of_a_copy_are_the_provider_s() -> None:
    cordoned = a_copy(annotations={labels.CORDON: "true"}, labels={"theirs": "1"})
    local = things.a_request(labels={**things.REPLICATED, "new": "1"}, **HELD)
    assert decide(local, cordoned) == NOTHING


def test_r27_a_slice_without_its_request_stays_home() -> None:
    assert decide(things.a_request(csr=b"", **HELD), a_copy()) == NOTHING
    assert decide(things.a_request(csr=b""), None) == NOTHING


def test_what_goes_to_another_cluster_is_not_ours_to_carry() -> None:
    marks = {**things.REPLICATED, labels.REMOTE_ID: "naples"}
    assert decide(things.a_request(labels=marks, deletion_timestamp=GOING), a_copy()) == NOTHING


def test_the_copy_of_what_is_gone_is_deleted() -> None:
    assert decide(None, a_copy()) == do(Delete(a_copy(), on="remote"))
    assert decide(None, None) == NOTHING


def test_what_is_no_longer_marked_for_replication_is_taken_back() -> None:
    marks = {**things.REPLICATED, labels.REPLICATION: "false"}
    local = things.a_request(labels=marks, **HELD)
    assert decide(local, a_copy()) == do(Delete(a_copy(), on="remote"))
    assert finalizers(decide(local, None)) is None


def test_the_copy_goes_first_and_then_we_let_go() -> None:
    local = things.a_request(deletion_timestamp=GOING, finalizers=("other", FINALIZER))
    assert decide(local, a_copy()) == do(Delete(a_copy(), on="remote"))
    assert finalizers(decide(local, None)) == ["other"]


def test_r5_a_copy_that_we_may_only_not_have_seen_is_not_gone() -> None:
    local = things.a_request(deletion_timestamp=GOING, **HELD)
    assert decide(local, None, "unknown") == NOTHING


@pytest.mark.parametrize("link", ["withdrawn", "dead"])
@pytest.mark.parametrize("copy", [None, a_copy()])
def test_r6_what_is_out_of_our_hands_does_not_hold_us(copy: ResourceSlice, link: Link) -> None:
    local = things.a_request(deletion_timestamp=GOING, **HELD)
    assert finalizers(decide(local, copy, link)) is None


def test_r11_a_peer_that_only_borrows_concerns_nobody() -> None:
    here, there = things.caches(), things.caches()
    watched = controller(ResourceSlice, ROUTE, here, there).watches
    concerned = watched[here.of(ForeignCluster)]
    things.put(here, things.a_request())
    assert list(concerned(a_foreign_cluster("true", cluster_id="naples"))) == []
    assert list(concerned(a_foreign_cluster("true"))) == [things.a_request().key]


def test_both_sides_of_an_object_have_one_key() -> None:
    here, there = things.caches(), things.caches()
    watched = controller(ResourceSlice, ROUTE, here, there).watches
    local = things.a_request()
    assert list(watched[here.of(ResourceSlice)](local)) == [local.key]
    assert list(watched[there.of(ResourceSlice, ROUTE.copies)](a_copy())) == [local.key]
    assert list(watched[here.of(ResourceSlice)](things.a_request(namespace="other"))) == []


def test_what_is_observed() -> None:
    here, there = things.caches(), things.caches()
    things.put(here, things.a_request())
    there.of(ResourceSlice, ROUTE.copies).take(a_copy())
    state = observe(ResourceSlice, ROUTE, here, there, things.a_request().key)
    assert state == State(things.a_request(), a_copy(), ROUTE, "unknown")
