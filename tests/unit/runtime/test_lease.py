"""Who may lead."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from liqo.api.kubernetes import Lease
from liqo.api.meta import Meta
from liqo.runtime.lease import Sighting, holder, is_free, released, renewed, sight, taken

NOW = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


def a_lease(renew_time: str = "1", **spec: Any) -> Lease:
    content = {"holderIdentity": "rome", "leaseDurationSeconds": 15, "renewTime": renew_time}
    return Lease(
        metadata=Meta(name="controllers", namespace="liqo", resource_version=renew_time),
        raw_spec=msgspec.Raw(msgspec.json.encode({**content, **spec})),
    )


def test_a_lease_that_was_renewed_is_new_to_a_candidate() -> None:
    first = sight(None, a_lease("1"), 100.0)
    second = sight(first, a_lease("2"), 103.0)
    assert (first.since, second.since) == (100.0, 103.0)


def test_a_lease_that_says_the_same_keeps_its_age() -> None:
    first = sight(None, a_lease("1"), 100.0)
    assert sight(first, a_lease("1"), 103.0).since == 100.0


def test_a_lease_that_appears_or_goes_is_new() -> None:
    gone = sight(sight(None, a_lease(), 100.0), None, 103.0)
    assert gone == Sighting(None, 103.0)
    assert sight(gone, a_lease(), 105.0).since == 105.0


def test_a_lease_of_another_is_free_when_it_has_not_been_renewed_for_its_duration() -> None:
    seen = sight(None, a_lease(), 100.0)
    assert not is_free(seen, "milan", 114.9)
    assert is_free(seen, "milan", 115.0)


def test_a_lease_that_is_absent_released_or_ours_is_free_at_once() -> None:
    assert is_free(Sighting(None, 100.0), "milan", 100.0)
    assert is_free(Sighting(a_lease(holderIdentity=""), 100.0), "milan", 100.0)
    assert is_free(Sighting(a_lease(holderIdentity=None), 100.0), "milan", 100.0)
    assert is_free(Sighting(a_lease(), 100.0), "rome", 100.0)


def test_the_holder_of_no_lease_is_nobody() -> None:
    assert (holder(a_lease()), holder(None)) == ("rome", "")


def test_taking_a_lease_counts_its_changes_of_hands() -> None:
    assert taken("milan", 15.0, a_lease(leaseTransitions=2), NOW) == {
        "holderIdentity": "milan",
        "leaseDurationSeconds": 15,
        "acquireTime": "2026-01-02T12:00:00.000000Z",
        "renewTime": "2026-01-02T12:00:00.000000Z",
        "leaseTransitions": 3,
    }
    assert taken("milan", 15.0, None, NOW)["leaseTransitions"] == 0


def test_renewing_touches_only_the_time_and_releasing_frees_the_lease() -> None:
    assert renewed(NOW) == {"renewTime": "2026-01-02T12:00:00.000000Z"}
    assert released(NOW)["holderIdentity"] == ""
