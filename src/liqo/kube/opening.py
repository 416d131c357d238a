"""Opening: a list and the watch that follows it; of all that begin at once, a few at a time.

Each of them may be a handshake: with hundreds under way, all else of a process would wait.
"""

from __future__ import annotations

import asyncio

AT_A_TIME = 8  # of one cluster


class Opening:
    """One of a few turns; given up early by whoever has got going, and by all in the end."""

    def __init__(self, turns: asyncio.Semaphore) -> None:
        self._turns = turns
        self._is_ours = False

    async def __aenter__(self) -> Opening:
        await self._turns.acquire()
        self._is_ours = True
        return self

    async def __aexit__(self, *_: object) -> None:
        self.over()

    def over(self) -> None:
        if self._is_ours:
            self._is_ours = False
            self._turns.release()
