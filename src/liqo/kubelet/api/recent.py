"""What was found out a moment ago and need not be asked again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from liqo.runtime.clock import Stopwatch

BRIEFLY = 10.0  # seconds: a right that was taken away ends soon, and a burst asks once
MOST = 1000  # answers; beyond that somebody tries tokens

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    def __init__(self, clock: Stopwatch) -> None:
        self._clock = clock
        self._known: dict[K, tuple[float, V]] = {}

    async def of(self, key: K, find: Callable[[], Awaitable[V]]) -> V:
        known = self._known.get(key)
        if known is not None and self._clock() < known[0]:
            return known[1]
        found = await find()
        now = self._clock()
        if len(self._known) >= MOST:
            self._known = {each: kept for each, kept in self._known.items() if now < kept[0]}
        if len(self._known) < MOST:
            self._known[key] = (now + BRIEFLY, found)
        return found
