"""Trespass: what a consumer may not change of what its provider has decided."""

from __future__ import annotations

import pytest

from liqo.api.authentication import ResourceSlice
from liqo.api.meta import JSON
from liqo.webhooks.reviews.trespass import check_trespass
from tests.builders import a_slice
from tests.unit.webhooks.reviews.questions import changed

COPY = {
    "liqo.io/replicated": "true",
    "liqo.io/originID": "rome",
    "liqo.io/remote-cluster-id": "milan",
}
AUTHENTICATED = changed(a_slice(authentication="Accepted"), labels=COPY)
DENIED = changed(a_slice(authentication="Accepted", resources="Denied"), labels=COPY)
ACCEPTED = changed(a_slice(authentication="Accepted", resources="Accepted"), labels=COPY)
ASKED = changed(a_slice(), labels=COPY)


def words(old: ResourceSlice, new: ResourceSlice) -> str:
    refused = check_trespass(old, new)
    assert refused is None or refused.code == 403
    return refused.reason if refused is not None else ""


@pytest.mark.parametrize(
    ("old", "new", "verb"),
    [({}, {"x": "1"}, "add"), ({"x": "1"}, {}, "delete"), ({"x": "1"}, {"x": "2"}, "change")],
)
@pytest.mark.parametrize("name", ["liqo.io/cordon", "liqo.io/cordon-tenant"])
def test_S9_a_cordon_is_the_providers(name: str, old: JSON, new: JSON, verb: str) -> None:
    before, after = (
        changed(ASKED, annotations={name: marks["x"]} if marks else {}) for marks in (old, new)
    )
    assert words(before, after) == f"control plane users can't {verb} the {name} annotation"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({}, {"liqo.io/remote-cluster-id": "x"}, "can't add the remoteClusterID label"),
        ({"liqo.io/remote-cluster-id": "x"}, {}, "can't delete the remoteClusterID label"),
        (
            {"liqo.io/remote-cluster-id": "x"},
            {"liqo.io/remote-cluster-id": "y"},
            "can't change the remoteClusterID label",
        ),
        (COPY, {**COPY, "colour": "red"}, ""),
    ],
)
def test_a_copy_stays_the_consumers_that_it_is_of(old: JSON, new: JSON, expected: str) -> None:
    said = words(changed(ASKED, labels=old), changed(ASKED, labels=new))
    assert expected in said
    assert bool(expected) == bool(said)


@pytest.mark.parametrize(
    ("old", "spec", "expected"),
    [
        (ASKED, {"class_": "gold"}, ""),
        (ASKED, {"consumer_cluster_id": "venice"}, ""),
        (ACCEPTED, {"class_": "default"}, ""),
        (ACCEPTED, {"resources": {"cpu": "8"}}, ""),
        (ACCEPTED, {"class_": "gold"}, "spec.class of an accepted ResourceSlice"),
        (AUTHENTICATED, {"class_": "gold"}, ""),
        (DENIED, {"class_": "gold"}, ""),
        (
            AUTHENTICATED,
            {"consumer_cluster_id": ""},
            'spec.consumerClusterID of an accepted ResourceSlice: it is "rome"',
        ),
        (DENIED, {"consumer_cluster_id": "venice"}, "spec.consumerClusterID"),
        (ACCEPTED, {"consumer_cluster_id": "venice"}, "spec.consumerClusterID"),
        (
            changed(a_slice(resources="Accepted"), labels=COPY),
            {"class_": "gold"},
            "spec.class of an accepted ResourceSlice",
        ),
    ],
)
def test_S9_what_was_accepted_is_not_turned_into_something_else(
    old: ResourceSlice, spec: JSON, expected: str
) -> None:
    said = words(old, changed(old, **spec))
    assert expected in said
    assert bool(expected) == bool(said)


def test_metadata_of_their_own_is_theirs() -> None:
    assert check_trespass(ASKED, changed(ASKED, annotations={"colour": "red"})) is None
