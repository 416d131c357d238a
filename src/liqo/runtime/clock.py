"""Time as an input: who needs it receives one of these, so that a test can hand in its own."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

Clock: TypeAlias = Callable[[], datetime]
"""What a decision is told: `observe` puts its answer into the State."""

Stopwatch: TypeAlias = Callable[[], float]
"""Seconds since some moment; only differences mean something."""


def wall_clock() -> datetime:
    return datetime.now(UTC)


def boot_clock() -> float:
    """Goes on while the machine sleeps, as a lease does and CLOCK_MONOTONIC does not."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def timestamp(moment: datetime) -> str:
    """As Kubernetes writes a Time: whole seconds."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def micro_timestamp(moment: datetime) -> str:
    """As Kubernetes writes a MicroTime: Leases have them."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
