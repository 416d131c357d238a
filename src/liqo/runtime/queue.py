"""Keys to do: each once, never twice at a time, fair between namespaces, backing off.

A key is in one of four places:

    waiting    a timer will add it: it failed, or its plan asked to be woken
    ready      it will be handed out, in its namespace's turn
    active     somebody works on it
    again      somebody works on it, and it was added meanwhile: ready once that is done

Time and randomness are inputs: `later` starts a timer, `jitter` answers a number in [0, 1).
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from typing import Protocol

from liqo.api.meta import Key
from liqo.runtime.waiters import Waiters

FIRST_RETRY = 0.1  # seconds: a conflict is usually over when the watch has brought the news
SLOWEST_RETRY = 30.0  # seconds: as long as a person fixing it is willing to wait
TURN = 16  # keys handed out before other tasks may run: half a millisecond when nothing is to do


class Timer(Protocol):
    def cancel(self) -> None: ...


Later = Callable[[float, Callable[[], None]], Timer]


def loop_timer(delay: float, callback: Callable[[], None]) -> Timer:
    return asyncio.get_running_loop().call_later(delay, callback)


class Queue:
    """The keys one controller has to reconcile; its workers take them with `async for`."""

    def __init__(
        self, later: Later = loop_timer, jitter: Callable[[], float] = random.random
    ) -> None:
        self._later = later
        self._jitter = jitter
        self._ready: dict[str, dict[Key, None]] = {}  # by namespace, the next in turn first
        self._depth = 0
        self._active: set[Key] = set()
        self._again: set[Key] = set()
        self._waiting: dict[Key, Timer] = {}
        self._failures: Counter[Key] = Counter()
        self._refusals: Counter[Key] = Counter()
        self._idle = Waiters()  # workers with nothing to do
        self._handed_out = 0
        self._closed = False

    @property
    def depth(self) -> int:
        """How many keys are ready: what /metrics shows as the backlog."""
        return self._depth

    @property
    def is_quiet(self) -> bool:
        """Nothing is ready or being worked on."""
        return not self._depth and not self._active

    def add(self, key: Key) -> None:
        if self._closed:
            return
        if key in self._active:
            self._again.add(key)
            return
        namespace = self._ready.setdefault(key.namespace, {})
        if key not in namespace:
            namespace[key] = None
            self._depth += 1
            self._idle.wake_one()

    def add_after(self, key: Key, seconds: float) -> None:
        """Add the key when this time has passed, in place of any timer it had."""
        self._stop_timer(key)
        if not self._closed:
            self._waiting[key] = self._later(seconds, lambda: self._ring(key))

    def retry(
        self,
        key: Key,
        *,
        soonest: float = 0.0,
        slowest: float = SLOWEST_RETRY,
        refused: bool = False,
    ) -> int:
        """Add the key after a pause that doubles with every failure; how many they are in a row.

        Refusals are a row of their own: one that stands does not slow down what may go well soon.
        A failure does not reset the row of refusals: a key that is refused and fails by turns would
        be tried all the time.
        """
        if refused:
            self._failures.pop(key, None)
        row = self._refusals if refused else self._failures
        doublings = min(row[key], 16)  # enough for any pause, and never an overflow
        row[key] += 1
        pause = min(FIRST_RETRY * 2**doublings, slowest)
        self.add_after(key, soonest + pause * (0.5 + self._jitter() / 2))
        return row[key]

    def forget(self, key: Key) -> None:
        """The key was done without failure: its next failure is its first."""
        self._failures.pop(key, None)
        self._refusals.pop(key, None)

    def hurry(self) -> None:
        """Hand out at once what failed, and was not refused: why it did may be over.

        What is on its way and fails yet is tried again soon as well.
        """
        failed = [key for key in self._failures if key in self._waiting]
        self._failures.clear()
        for key in failed:
            self._stop_timer(key)
            self.add(key)

    def done(self, key: Key) -> None:
        """The worker that took the key is through with it."""
        self._active.discard(key)
        if key in self._again:
            self._again.discard(key)
            self.add(key)

    def close(self) -> None:
        """Hand out nothing any more; workers end when they are done with what they have."""
        self._closed = True
        self._ready.clear()
        self._depth = 0
        for key in list(self._waiting):
            self._stop_timer(key)
        self._idle.wake_all()

    def __aiter__(self) -> "Queue":
        return self

    async def __anext__(self) -> Key:
        if self._depth:
            await self._let_others_run()
        while not self._depth:
            if self._closed:
                raise StopAsyncIteration
            await self._idle.wait()
        return self._take()

    def _take(self) -> Key:
        namespace = next(iter(self._ready))
        keys = self._ready.pop(namespace)
        key = next(iter(keys))
        del keys[key]
        if keys:
            self._ready[namespace] = keys  # behind all others: its next key waits for its next turn
        self._depth -= 1
        self._stop_timer(key)  # what is decided now also decides when to be woken
        self._active.add(key)
        return key

    async def _let_others_run(self) -> None:
        self._handed_out += 1
        if self._handed_out % TURN == 0:
            await asyncio.sleep(0)

    def _ring(self, key: Key) -> None:
        self._waiting.pop(key, None)
        self.add(key)

    def _stop_timer(self, key: Key) -> None:
        timer = self._waiting.pop(key, None)
        if timer is not None:
            timer.cancel()
