"""The parts of a plan: some are done at a time, and one that fails holds up no other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from liqo.kube.errors import Conflict, KubeError, Refused
from liqo.runtime.failures import OF_ALL
from liqo.runtime.plan import Part

OF_ONE = 4  # parts of one plan at a time: who is slow leaves turns to others
AT_ONCE = 8  # of all plans of a controller: half of what an API server gets of us at first
TOLD = 5  # errors that differ: enough to see what is wrong, in one line of the log


async def perform_each(
    parts: Iterable[Part], perform: Callable[[Part], Awaitable[None]], turns: asyncio.Semaphore
) -> None:
    """When one fails with what all would fail with, no more are begun.

    Those that are under way are finished: what was sent may be carried out, and we should know.
    The turns are those of all plans of the controller.
    """
    ours, over = asyncio.Semaphore(OF_ONE), asyncio.Event()

    async def begin(part: Part) -> Exception | None:
        async with ours, turns:
            if over.is_set():
                return None
            try:
                await perform(part)
            except Exception as error:  # raised, it would cut off all others
                if _is_of_all(error):
                    over.set()
                return error
            return None

    async with asyncio.TaskGroup() as tasks:
        begun = [tasks.create_task(begin(part)) for part in parts]
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
