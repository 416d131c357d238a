"""Calm: how much may be free without that a share of it would be another one by much.

A share grows with what is free. So a range is worked out once, with the offer; whether what there
is now lies in it costs a few comparisons, where to work out the share anew and to compare it costs
ten times as much, for each consumer and twice a second. The ranges are on the safe side: what lies
outside may still be no large change, and is worked out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from liqo.provider.share.patience import LARGE
from liqo.rules.capacity import Offer, Portion, unit_of


@dataclass(frozen=True)
class Range:
    """Of what is free, in nano-units."""

    least: int
    most: int | None = None  # None: however much, no more is asked for

    def __contains__(self, amount: int, /) -> bool:
        return self.least <= amount and (self.most is None or amount <= self.most)


def ranges(made: Offer) -> Mapping[str, Range]:
    return {each.name: _range(each, made.percentage) for each in made.portions}


def _range(made: Portion, percentage: int) -> Range:
    """Rounding makes a difference of a unit at most, whichever it is."""
    granted, unit, now = made.granted.nano, unit_of(made.name), made.free.nano
    less = granted * (100 - LARGE) // 100 + 1
    more = granted * (100 + LARGE) // 100 - 1
    least = -(-(less + unit) * 100 // percentage)
    if made.asked is not None and made.asked.nano <= granted:
        return Range(min(now, least))
    return Range(min(now, least), max(now, (more - unit) * 100 // percentage))
