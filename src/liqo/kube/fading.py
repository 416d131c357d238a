"""Fading: of a copy, what is news and no state. It is kept for a moment, for those who are told.

Else a copy of Events would hold all that an API server holds, and nobody looks at the old ones.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Generic

from liqo.api.meta import Key
from liqo.kube.reading import O

MOMENT = 20.0  # seconds


class Fading(Generic[O]):
    def __init__(self, is_news: Callable[[O], bool], clock: Callable[[], float]) -> None:
        self._is_news = is_news
        self._clock = clock
        self._since: dict[Key, float] = {}  # when each came, the oldest first

    def note(self, item: O) -> None:
        key = item.key
        self._since.pop(key, None)
        if self._is_news(item):
            self._since[key] = self._clock()

    def over(self) -> list[Key]:
        """Those whose moment is over; each is told once."""
        limit = self._clock() - MOMENT
        old = list(takewhile(lambda key: self._since[key] <= limit, self._since))
        for key in old:
            del self._since[key]
        return old
