"""Time, as it is read and written."""

from datetime import UTC, datetime, timedelta, timezone

from liqo.runtime.clock import boot_clock, micro_timestamp, timestamp, wall_clock

NOON = datetime(2026, 1, 2, 13, 0, 0, 250_000, tzinfo=timezone(timedelta(hours=1)))


def test_times_are_written_as_kubernetes_writes_them() -> None:
    assert timestamp(NOON) == "2026-01-02T12:00:00Z"
    assert micro_timestamp(NOON) == "2026-01-02T12:00:00.250000Z"


def test_the_wall_clock_is_in_utc() -> None:
    assert wall_clock().tzinfo is UTC


def test_the_boot_clock_does_not_go_back() -> None:
    assert boot_clock() <= boot_clock()
