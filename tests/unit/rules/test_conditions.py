"""When a condition changes, and when it only seems to."""

from datetime import UTC, datetime

from liqo.api.authentication import ResourceSliceCondition
from liqo.rules.conditions import find, with_condition, without

NOW = datetime(2026, 11, 15, 10, 17, 16, 999, tzinfo=UTC)
THEN = "2026-01-01T00:00:00Z"
ACCEPTED = ResourceSliceCondition(
    type="Resources", status="Accepted", reason="Fits", last_transition_time=THEN
)
DENIED = ResourceSliceCondition(type="Resources", status="Denied", reason="Full")
KNOWN = ResourceSliceCondition(type="Authentication", status="Accepted", last_transition_time=THEN)


def test_a_new_condition_comes_last_and_is_dated() -> None:
    known, denied = with_condition((KNOWN,), DENIED, NOW)
    assert known == KNOWN
    assert (denied.status, denied.last_transition_time) == ("Denied", "2026-11-15T10:17:16Z")


def test_a_condition_that_says_the_same_keeps_its_date() -> None:
    again = ResourceSliceCondition(type="Resources", status="Accepted", reason="Fits")
    assert with_condition((ACCEPTED, KNOWN), again, NOW) == (ACCEPTED, KNOWN)


def test_a_condition_that_changes_keeps_its_place_and_is_dated_anew() -> None:
    denied, known = with_condition((ACCEPTED, KNOWN), DENIED, NOW)
    assert known == KNOWN
    assert (denied.status, denied.last_transition_time) == ("Denied", "2026-11-15T10:17:16Z")


def test_R23_of_several_of_one_type_the_first_counts_and_one_is_left() -> None:
    twice = (ACCEPTED, KNOWN, DENIED)
    again = ResourceSliceCondition(type="Resources", status="Accepted", reason="Fits")
    assert find(twice, "Resources") == ACCEPTED
    assert with_condition(twice, again, NOW) == (ACCEPTED, KNOWN)


def test_a_type_can_be_taken_out() -> None:
    assert without((ACCEPTED, KNOWN), "Resources") == (KNOWN,)
    assert find((KNOWN,), "Resources") is None
