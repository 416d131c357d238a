"""Patience: a change of what is free has to last before a consumer is told, lest its node flutter.

what differs from what is offered now     | how long it has to differ by that
------------------------------------------+------------------------------------------------
nothing; or only where on our nodes it is | 10 s
every resource by less than 5 %           | 10 s
a resource by 5 % or more                 | half a second: what comes together is told so
a resource is new, or gone                | the same
what was asked, or what an administrator  | not at all: somebody waits for it
decided                                   |

Between two offers there is a pause as well. It is half a second, doubles with each offer that takes
back something of those before it, up to ten, and begins anew when no offer was made for a while.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from liqo.api.meta import Key
from liqo.api.values import ResourceList
from liqo.rules.amounts import readable
from liqo.runtime.clock import Stopwatch

LARGE = 5  # percent of what is offered
TOGETHER = 0.5  # seconds
LASTING = 10.0  # seconds
CALM = 2 * LASTING  # seconds: what goes back and forth more slowly does not flutter


def is_large(offered: ResourceList, there: ResourceList) -> bool:
    if offered.keys() != there.keys():
        return True
    return any(_differs_much(offered[name], there[name]) for name in offered)


def _differs_much(offered: str | int, there: str | int) -> bool:
    before, now = readable(offered).nano, readable(there).nano
    return before != now and abs(now - before) * 100 >= before * LARGE


@dataclass(frozen=True)
class Step:
    """From one offer to the next."""

    at: float
    ways: Mapping[str, int]  # by resource, the last way it went: above zero is more
    pause: float = TOGETHER  # seconds until the next one


def step(last: Step | None, now: float, before: ResourceList, after: ResourceList) -> Step:
    names = before.keys() | after.keys()
    changes = {
        name: readable(after.get(name, 0)).nano - readable(before.get(name, 0)).nano
        for name in names
    }
    ways = {name: change for name, change in changes.items() if change}
    if last is None or now - last.at > CALM:
        return Step(now, ways)
    is_back = any(change * last.ways.get(name, 0) < 0 for name, change in ways.items())
    pause = min(2 * last.pause, LASTING) if is_back else last.pause
    return Step(now, {**last.ways, **ways}, pause)


@dataclass
class Patience:
    """With each slice. A restart loses only the waiting.

    By a stopwatch: a clock that is set back by an hour must not make anybody wait for one.
    """

    stopwatch: Stopwatch
    _elsewhere: dict[Key, float] = field(default_factory=dict)  # since when it is the same sum, …
    _other: dict[Key, float] = field(default_factory=dict)  # … it is another one, …
    _large: dict[Key, float] = field(default_factory=dict)  # … and that by much
    _steps: dict[Key, Step] = field(default_factory=dict)
    _hurried: set[Key] = field(default_factory=set)

    def elsewhere(self, key: Key) -> float:
        """Seconds for which an offer stays whose sum is what there is."""
        self._other.pop(key, None)
        self._large.pop(key, None)
        return self._left(self._elsewhere, key, LASTING)

    def left(self, key: Key, *, large: bool) -> float:
        """Seconds for which it stays though there is something else, by much or not."""
        if key in self._hurried:
            return 0.0
        lasting = self._left(self._other, key, LASTING)
        if large:
            lasting = self._left(self._large, key, TOGETHER)
        else:
            self._large.pop(key, None)
        return max(lasting, self._pause(key))

    def hurry(self, key: Key) -> None:
        self.forget(key)
        self._hurried.add(key)

    def stepped(self, key: Key, before: ResourceList | None, after: ResourceList) -> None:
        """What was waited for is offered."""
        last = self._steps.get(key)
        self.forget(key)
        if before is not None and before != after:
            last = step(last, self.stopwatch(), before, after)
        if last is not None:
            self._steps[key] = last

    def forget(self, key: Key) -> None:
        for waits in (self._elsewhere, self._other, self._large, self._steps):
            waits.pop(key, None)
        self._hurried.discard(key)

    def _left(self, since: dict[Key, float], key: Key, needed: float) -> float:
        now = self.stopwatch()
        return max(0.0, needed - (now - since.setdefault(key, now)))

    def _pause(self, key: Key) -> float:
        last = self._steps.get(key)
        return last.at + last.pause - self.stopwatch() if last is not None else 0.0
