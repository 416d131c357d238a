"""The parts of a plan: some are done at a time, and one that fails holds up no other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from liqo.kube.errors import Conflict, KubeError, Refused
from liqo.runtime.failures import OF_ALL
from liqo.runtime.plan import Part
from liqo.runtime.waiters import Waiters

SPARE = 3  # beside one of each plan: eight that are slow leave a third of START in runtime/pace.py
TOLD = 5  # errors that differ: enough to see what is wrong, in one line of the log


class Spare:
    """Turns that all plans of a controller share: who waits longest has the next."""

    def __init__(self) -> None:
        self.left = SPARE
        self.freed = Waiters()


class Turns:
    """Those of one plan: the first is its own, whatever others wait for."""

    def __init__(self, spare: Spare) -> None:
        self._spare = spare
        self._taken = 0

    async def take(self) -> None:
        while self._taken and not self._spare.left:
            await self._spare.freed.wait()
        if self._taken:
            self._spare.left -= 1
        self._taken += 1

    def give_back(self) -> None:
        self._taken -= 1
        if self._taken:
            self._spare.left += 1
            self._spare.freed.wake_one()
        else:
            self._spare.freed.wake_all()  # only this plan can go on, and it may not be the next


async def perform_each(
    parts: Iterable[Part], perform: Callable[[Part], Awaitable[None]], spare: Spare
) -> None:
    """When one fails with what all would fail with, no more are begun.

    Those that are under way are finished: what was sent may be carried out, and we should know.
    """
    turns, over = Turns(spare), asyncio.Event()

    async def begin(part: Part) -> Exception | None:
        if over.is_set():
            return None
        try:
            await perform(part)
        except Exception as error:  # raised, it would cut off all others
            if _is_of_all(error):
                over.set()
            return error
        return None

    begun: list[asyncio.Task[Exception | None]] = []
    async with asyncio.TaskGroup() as tasks:
        for part in parts:
            await turns.take()
            begun.append(tasks.create_task(begin(part)))
            begun[-1].add_done_callback(lambda _: turns.give_back())
    if wrong := [error for each in begun if (error := each.result()) is not None]:
        raise _together(wrong)


def _is_of_all(error: Exception) -> bool:
    return isinstance(error, OF_ALL) or not isinstance(error, KubeError)


def _together(errors: Sequence[Exception]) -> Exception:
    """One that stands for all of them: what no part can help, else what is tried again soonest.

    But a conflict is nothing to speak of, if there is more.
    """
    first = min(errors, key=_weight)
    words = list(dict.fromkeys(map(str, (first, *errors))))
    for other in words[1:TOLD]:
        first.add_note(other)
    if len(words) > TOLD:
        first.add_note(f"and {len(words) - TOLD} more")
    return first


def _weight(error: Exception) -> tuple[bool, ...]:
    return not _is_of_all(error), isinstance(error, Conflict), isinstance(error, Refused)
