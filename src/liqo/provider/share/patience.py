"""Patience: a change of what is free has to last before a consumer is told, lest its node flutter.

what differs from what is offered now     | how long it has to last
------------------------------------------+------------------------------------------------
nothing; or only where on our nodes it is | 10 s
every resource by less than 5 %           | 10 s
a resource by 5 % or more                 | half a second: what comes together is told so
a resource is new, or gone                | the same
what was asked, or what an administrator  | not at all: somebody waits for it
decided                                   |
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from liqo.api.meta import Key
from liqo.api.values import ResourceList
from liqo.rules.quantity import parse
from liqo.runtime.clock import Stopwatch

LARGE = 5  # percent of what is offered
TOGETHER = 0.5  # seconds
LASTING = 10.0  # seconds
LONG_AGO = -inf


def due_after(offered: ResourceList, there: ResourceList) -> float:
    """Seconds."""
    if offered.keys() != there.keys():
        return TOGETHER
    is_large = any(_is_large(offered[name], there[name]) for name in offered)
    return TOGETHER if is_large else LASTING


def _is_large(offered: str | int, there: str | int) -> bool:
    before, now = parse(offered).nano, parse(there).nano
    return before != now and abs(now - before) * 100 >= before * LARGE


@dataclass
class Waits:
    """Since when what there is differs from what is offered. A restart loses only the waiting.

    By a stopwatch: a clock that is set back by an hour must not make anybody wait for one.
    """

    stopwatch: Stopwatch
    _since: dict[Key, float] = field(default_factory=dict)

    def hurry(self, key: Key) -> None:
        self._since[key] = LONG_AGO

    def left(self, key: Key, needed: float) -> float:
        """Seconds until it has lasted for as long as needed; the first time, that begins."""
        now = self.stopwatch()
        return max(0.0, needed - (now - self._since.setdefault(key, now)))

    def forget(self, key: Key) -> None:
        self._since.pop(key, None)
