"""Kinds of authentication.liqo.io: nothing is lost, and what a slice says of itself."""

import pytest

from liqo.api import labels
from liqo.api.authentication import CRDS, ResourceSlice
from liqo.api.meta import JSON, Meta, Resource
from tests import wire
from tests.builders import a_slice

SEEN = wire.objects(CRDS)


@pytest.mark.parametrize(("model", "seen"), SEEN.values(), ids=SEEN)
def test_an_object_of_the_wire_loses_nothing_in_its_model(
    model: type[Resource], seen: JSON
) -> None:
    assert wire.survives(model, seen)


def test_a_question_without_an_answer_is_not_accepted() -> None:
    assert not a_slice().accepted("Resources")


def test_each_question_has_its_own_answer() -> None:
    answered = a_slice(authentication="Accepted", resources="Denied")
    assert answered.accepted("Authentication")
    assert not answered.accepted("Resources")


def test_a_copy_from_a_consumer_is_received() -> None:
    copy = ResourceSlice(
        metadata=Meta(labels={labels.REPLICATED: "true", labels.ORIGIN_ID: "rome"})
    )
    assert copy.received


def test_our_own_request_is_not_received() -> None:
    request = ResourceSlice(metadata=Meta(labels={labels.REPLICATION: "true"}))
    assert not request.received


@pytest.mark.parametrize("mark", [labels.CORDON, labels.CORDON_TENANT])
@pytest.mark.parametrize(
    ("said", "cordoned"),
    [("true", True), ("", True), ("yes", True), ("false", False), ("False", False), ("0", False)],
)
def test_a_cordon_is_any_value_that_does_not_deny_it(mark: str, said: str, cordoned: bool) -> None:
    assert a_slice(annotations={mark: said}).is_cordoned is cordoned


def test_a_slice_without_annotations_is_not_cordoned() -> None:
    assert not a_slice().is_cordoned
