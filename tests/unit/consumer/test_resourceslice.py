"""A slice says who asks; once accepted, it has an Identity."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from typing import Any

import msgspec

from liqo.api import labels
from liqo.api.authentication import Identity, ResourceSlice, ResourceSliceSpec
from liqo.consumer.home import keys
from liqo.consumer.resourceslice import State, controller, fill, forge, observe, plan
from liqo.kube.reading import Metadata
from liqo.rules import certificates, names
from liqo.runtime.plan import NOTHING, Apply, Delete, Patch, Record
from liqo.runtime.requests import body_of
from liqo.runtime.tenants import tenant_namespaces
from tests.captured import captured, comparable
from tests.unit.consumer import things

PAIR = things.key_pair()


def a_state(asked: ResourceSlice, identity: Identity | None = None) -> State:
    return State(asked, identity, things.HOME, PAIR.private, "milan")


def bare(**metadata: Any) -> ResourceSlice:
    asked = things.a_request(**metadata)
    return msgspec.structs.replace(asked, spec=ResourceSliceSpec())


def its_identity() -> Identity:
    made = forge(things.answered(authentication="Accepted"), things.HOME)
    assert made is not None
    return made


def test_what_is_empty_is_filled_in() -> None:
    (patch,) = plan(a_state(bare())).actions
    assert isinstance(patch, Patch)
    assert patch.only_if_unchanged
    spec = patch.change["spec"]
    assert (spec["consumerClusterID"], spec["providerClusterID"]) == ("rome", "milan")
    user = names.user_of("milan", "rome")
    assert certificates.check_request(b64decode(spec["csr"]), "rome", user, PAIR.public) == ""


def test_what_is_there_is_never_changed() -> None:
    assert fill(a_state(things.a_request(csr=b"theirs"))) == {}


def test_the_provider_is_the_namespace_s_where_no_label_tells() -> None:
    marks = {labels.REPLICATION: "true", labels.REMOTE_ID: "milan"}
    assert fill(a_state(bare(labels=marks)))["providerClusterID"] == "milan"
    unknown = replace(a_state(bare(labels=marks)), peer="")
    assert "providerClusterID" not in fill(unknown)


def test_the_identity_is_the_captured_one() -> None:
    wanted = captured("consumer", "Identity", "resourceslice-milan")
    del wanted["status"]
    assert comparable(body_of(its_identity())) == comparable(wanted)


def test_an_accepted_slice_has_an_identity() -> None:
    asked = things.answered(authentication="Accepted")
    apply, record = plan(a_state(asked)).actions
    assert apply == Apply(its_identity())
    assert isinstance(record, Record)
    assert record.reason == "IdentityEnsured"


def test_an_identity_that_is_as_it_should_be_is_not_told_of_again() -> None:
    asked = things.answered(authentication="Accepted")
    assert plan(a_state(asked, its_identity())).actions == (Apply(its_identity()),)


def test_an_incomplete_answer_waits() -> None:
    asked = things.answered(authentication="Accepted")
    status = msgspec.structs.replace(asked.status, auth_params=None)
    assert plan(a_state(msgspec.structs.replace(asked, status=status))) == NOTHING
    assert plan(a_state(things.a_request())) == NOTHING


def test_a_denied_slice_loses_its_identity() -> None:
    asked = things.answered(authentication="Denied")
    delete, record = plan(a_state(asked, its_identity())).actions
    assert delete == Delete(its_identity())
    assert isinstance(record, Record)
    assert record.reason == "IdentityDeleted"
    assert plan(a_state(asked)) == NOTHING


def test_r27_a_denial_of_a_slice_without_request_takes_no_identity_away() -> None:
    """It is being filled in again; the denial was of the moment in between."""
    denied = things.answered(authentication="Denied")
    spec = msgspec.structs.replace(denied.spec, csr=b"")
    (only,) = plan(a_state(msgspec.structs.replace(denied, spec=spec), its_identity())).actions
    assert isinstance(only, Patch)
    assert list(only.change["spec"]) == ["csr"]


def test_a_slice_that_is_being_deleted_is_left_alone() -> None:
    assert plan(a_state(bare(deletion_timestamp="2026-01-02T12:00:00Z"))) == NOTHING


def test_only_our_own_requests_are_observed() -> None:
    here, asked = things.caches(), things.a_request()
    watched = controller(here, things.HOME).watches
    things.put(here, asked)
    keys(here, things.HOME).take(things.the_keys(PAIR))
    tenant_namespaces(here).take(Metadata(metadata=things.a_namespace().metadata))
    assert observe(here, things.HOME, asked.key) == a_state(asked)
    assert list(watched[keys(here, things.HOME)](asked)) == [asked.key]
    copy = things.a_request(labels={labels.REPLICATED: "true"}, resource_version="2")
    things.put(here, copy)
    assert observe(here, things.HOME, asked.key) is None
    assert list(watched[keys(here, things.HOME)](asked)) == []
