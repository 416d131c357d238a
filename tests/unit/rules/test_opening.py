"""A namespace that was opened says when, and for which strategy."""

from datetime import UTC, datetime

import pytest

from liqo.api import labels
from liqo.api.meta import Meta
from liqo.kube.reading import Metadata
from liqo.rules.opening import CLOSED, SETTLED, created, is_open, opened, opened_at, strategy_of

NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


def test_what_is_written_can_be_read() -> None:
    change = opened("Remote", NOON)
    namespace = Metadata(metadata=Meta(name="shop", **change))
    assert change["annotations"] == {labels.OPENED: "Remote since 2026-11-16T12:00:00Z"}
    assert (is_open(namespace), strategy_of(namespace)) == (True, "Remote")
    assert opened_at(namespace) == NOON


@pytest.mark.parametrize("note", ["", "Remote", "some day", "Remote since 2026-11-16T12:00:00"])
def test_who_opens_it_by_hand_does_not_say_when(note: str) -> None:
    assert opened_at(Metadata(metadata=Meta(annotations={labels.OPENED: note}))) is None


def test_what_nobody_dated_is_old() -> None:
    noon = Metadata(metadata=Meta(creation_timestamp="2026-11-16T12:00:00Z"))
    assert created(noon) == NOON
    assert created(Metadata(metadata=Meta())) < NOON


def test_what_is_closed_keeps_no_trace() -> None:
    assert CLOSED["labels"].keys() == {labels.SCHEDULING_ENABLED}
    assert CLOSED["annotations"] == SETTLED["annotations"] == {labels.OPENED: None}
    assert not is_open(Metadata(metadata=Meta(name="shop")))
