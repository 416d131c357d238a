"""A rush: many ask for room at once, something happens meanwhile, and each asks until it knows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from liqo.kube.errors import Forbidden, KubeError, ServerFault

AT_ONCE, ROOM = 50, 20  # creations, and how many of them fit

Ask: TypeAlias = Callable[[], Awaitable[object]]


async def admitted(asks: list[Ask], meanwhile: Callable[[], Awaitable[None]]) -> int:
    """How many got in. `meanwhile` is done when half of them have begun to ask."""
    begun = asyncio.Semaphore(0)

    async def one(ask: Ask) -> bool:
        begun.release()
        while True:
            try:
                await ask()
            except Forbidden:
                return False  # no room
            except ServerFault:
                continue  # nobody decided in time: ask again
            except KubeError as lost:
                return "AlreadyExists" in lost.reason  # the answer was lost, and it is there
            return True

    async def disturb() -> None:
        for _ in range(len(asks) // 2):
            await begun.acquire()
        await meanwhile()

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(disturb())
        ones = [tasks.create_task(one(ask)) for ask in asks]
    return sum(each.result() for each in ones)
