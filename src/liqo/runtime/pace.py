"""How many requests one API server gets from us at a time: as many as it answers gladly.

A fixed rate is wrong twice: too slow for an idle API server, too fast for a busy one. This one
starts in the middle, is halved when the API server says 429, and grows by one again for every
round of requests that went well.
"""

from types import TracebackType

from liqo.kube.errors import Throttled
from liqo.kube.http import Limits
from liqo.runtime.waiters import Waiters

IMPATIENT = Limits(patience=0.0)
"""For the Clusters of a program: they hand a 429 on, and are not patient in our place."""

START = 16  # what performance.md measured as enough to keep one API server busy
MOST = 64


class Pace:
    """An adaptive semaphore: `async with pace:` around each request."""

    def __init__(self, start: int = START, most: int = MOST) -> None:
        self.limit = start
        self._most = most
        self._in_flight = 0
        self._went_well = 0
        self._unaware = 0  # requests under way that were sent before the last slow-down
        self._waiting = Waiters()

    async def __aenter__(self) -> None:
        while self._in_flight >= self.limit:
            await self._waiting.wait()
        self._in_flight += 1

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._in_flight -= 1
        self._learn(throttled=isinstance(error, Throttled))
        for _ in range(self.limit - self._in_flight):
            self._waiting.wake_one()

    def _learn(self, throttled: bool) -> None:
        """One burst of 429s is one slow-down: those it was sent with say nothing new."""
        if self._unaware:
            self._unaware -= 1
        elif throttled:
            self.limit = max(1, self.limit // 2)
            self._went_well = 0
            self._unaware = self._in_flight
        else:
            self._went_well += 1
            if self._went_well >= self.limit:
                self._went_well = 0
                self.limit = min(self._most, self.limit + 1)
