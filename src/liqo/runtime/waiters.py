"""Tasks that wait for something to do, woken one by one: an Event would wake all of them."""

import asyncio
from collections import deque


class Waiters:
    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def wait(self) -> None:
        """Return when woken. What one was woken for may be gone: ask again whether it is there."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self.wake_one()  # what this task was woken for is another's now
            raise

    def wake_one(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():  # else its task was cancelled
                turn.set_result(None)
                return

    def wake_all(self) -> None:
        while self._waiting:
            self.wake_one()
