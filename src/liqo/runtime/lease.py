"""Who leads, decided from a Lease: the rules, without a clock or an API server of their own.

Clocks of two machines differ, so nobody compares the times that are written in a Lease with his
own. A candidate waits until the Lease has said the same for its whole duration on the candidate's
clock. A leader counts from before it sent its last renewal, and so always ends first.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from liqo.api.kubernetes import Lease
from liqo.api.meta import JSON
from liqo.runtime.clock import micro_timestamp


@dataclass(frozen=True)
class Sighting:
    """A Lease (None: there is none), and since when, on our clock, it has said the same."""

    lease: Lease | None
    since: float


def sight(before: Sighting | None, lease: Lease | None, now: float) -> Sighting:
    if before is None or before.lease is None or lease is None or before.lease.spec != lease.spec:
        return Sighting(lease, now)
    return Sighting(lease, before.since)


def is_free(sighting: Sighting, me: str, now: float) -> bool:
    """Whether it may become ours: nobody has it, it is ours, or its holder let it run out."""
    if sighting.lease is None or holder(sighting.lease) in ("", me):
        return True
    return now - sighting.since >= sighting.lease.spec.get("leaseDurationSeconds", 0)


def holder(lease: Lease | None) -> str:
    return (lease.spec.get("holderIdentity") or "") if lease is not None else ""


def taken(me: str, duration: float, lease: Lease | None, now: datetime) -> JSON:
    """The spec of a Lease that becomes ours."""
    changes = lease.spec.get("leaseTransitions", 0) + 1 if lease else 0
    return {
        "holderIdentity": me,
        "leaseDurationSeconds": int(duration),
        "acquireTime": micro_timestamp(now),
        "renewTime": micro_timestamp(now),
        "leaseTransitions": changes,
    }


def renewed(now: datetime) -> JSON:
    return {"renewTime": micro_timestamp(now)}


def released(now: datetime) -> JSON:
    """Nobody's: the next candidate need not wait."""
    return {"holderIdentity": "", "leaseDurationSeconds": 1, "renewTime": micro_timestamp(now)}
