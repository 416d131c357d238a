"""Sums of an explanation, taken apart: what `min(60, floor(0.9 × (100 − 50)))` is made of."""

from __future__ import annotations

import re
from dataclasses import dataclass

SUM = re.compile(
    r"(?:min\((?P<asked>\S+), )?"
    r"(?P<rounding>[a-z-]+)\((?P<share>[0-9.]+) × "
    r"(?:\((?P<allocatable>\S+) − (?P<requested>\S+)\)|(?P<free>[^()\s]+))\)"
    r"(?(asked)\))"
)


@dataclass(frozen=True)
class Share:
    """The inputs of a share of what is free, as they are written."""

    percentage: int
    rounding: str
    allocatable: str
    requested: str = "0"  # by others
    asked: str = ""  # the most that is wanted; empty: whatever there is


def taken_apart(text: str) -> Share | None:
    """None: it is another sum, or no sum at all."""
    found = SUM.fullmatch(text)
    if found is None:
        return None
    return Share(
        percentage=round(float(found["share"]) * 100),
        rounding=found["rounding"],
        allocatable=found["allocatable"] or found["free"],
        requested=found["requested"] or "0",
        asked=found["asked"] or "",
    )
