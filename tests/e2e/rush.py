"""A rush: many ask for room at once, something happens in the middle, and each asks until it knows.

In the middle: some were let in and know it, others were and do not, and there is room left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from liqo.api.kubernetes import Lease
from liqo.api.meta import Key
from liqo.kube.cluster import Cluster
from liqo.kube.errors import TAKEN, Conflict, Forbidden, ServerFault, Unreachable
from liqo.rules import names
from liqo.runtime.lease import holder

AT_ONCE, ROOM = 50, 20  # creations, and how many of them fit
EARLY = 15  # that ask before it happens, beside AT_ONCE: all of them fit, and leave room
KNOWN = ROOM // 2  # of those: so many know that they are in when it happens

Ask: TypeAlias = Callable[[], Awaitable[object]]


@dataclass(frozen=True)
class Disturbed:
    """How many knew that they are in when it happened, and how many heard of it later."""

    before: int
    after: int

    @property
    def admitted(self) -> int:
        return self.before + self.after


async def admitted(asks: list[Ask]) -> int:
    """How many got in, of all at once."""
    async with asyncio.TaskGroup() as tasks:
        ones = [tasks.create_task(until_it_knows(ask)) for ask in asks]
    return sum(each.result() for each in ones)


async def disturbed(asks: list[Ask], happens: Callable[[], Awaitable[None]]) -> Disturbed:
    """It happens when KNOWN of the first know; all the others ask just then."""
    async with asyncio.TaskGroup() as tasks:
        early = [tasks.create_task(until_it_knows(ask)) for ask in asks[:EARLY]]
        for answered in islice(asyncio.as_completed(early), KNOWN):
            assert await answered
        before = sum(each.done() for each in early)
        late = [tasks.create_task(until_it_knows(ask)) for ask in asks[EARLY:]]
        await happens()
    return Disturbed(before, sum(each.result() for each in (*early, *late)) - before)


async def until_it_knows(ask: Ask) -> bool:
    """Whether it is in."""
    while True:
        try:
            await ask()
        except Forbidden:
            return False  # no room
        except (ServerFault, Unreachable):
            continue  # nobody decided in time: ask again
        except Conflict as conflict:
            if conflict.reason != TAKEN:
                raise
            return True  # the answer was lost, and it is there
        return True


async def decides(cluster: Cluster) -> str:
    """Which of the webhooks there decides on quotas, by its name in the Lease; empty: none."""
    return holder(await cluster.get(Lease, Key("liqo", names.ADMISSION_LEASE)))
