"""Turns: work that several programs share, and that one of them does at a time.

Losing this lease ends no process, unlike a program's own: all else goes on, and the next turn may
come. A controller that begins is told all that is there, so nothing that happened between two
turns is missed. Its writes are idempotent, or name what they were decided on: a late one does no
harm, so the kernel is not asked to watch.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import structlog

from liqo.kube.cluster import Cluster
from liqo.runtime.controller import Controller, Desk
from liqo.runtime.errors import LeaseLost
from liqo.runtime.leader import Candidacy, Leader
from liqo.runtime.metrics import Metrics

Operate: TypeAlias = Callable[[Desk], Coroutine[Any, Any, None]]
"""Works at a desk, from all that is there on, until it is closed."""

log = structlog.get_logger()


class Silence:
    """The alarm of a lease that nobody dies with."""

    def ring_in(self, seconds: float) -> None: ...
    def turn_off(self) -> None: ...


@dataclass
class Turns:
    leader: Leader
    controllers: Sequence[Controller[Any]]
    desks: list[Desk] = field(default_factory=list)  # of the turn that is ours
    over: bool = False  # the program ends: there is no next turn
    _working: list[asyncio.Task[None]] = field(default_factory=list)

    async def run(self, metrics: Metrics, operate: Operate) -> None:
        while not self.over:
            await self.leader.acquire()
            self.desks = [Desk(each, metrics) for each in self.controllers]
            try:
                await self._work(operate)
            except* LeaseLost as lost:
                log.warning("turn lost", why=str(lost.exceptions[0]))
            finally:
                self.desks = []
                await self.leader.release()

    async def finish(self, within: float) -> None:
        """Begin nothing new; return when what is under way is done, or after so many seconds."""
        for desk in self.desks:
            desk.queue.close()
        if self._working:
            await asyncio.wait(self._working, timeout=within)

    async def _work(self, operate: Operate) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.leader.keep())
            self._working = [tasks.create_task(operate(desk)) for desk in self.desks]


def taking_turns(
    cluster: Cluster, candidacy: Candidacy, controllers: Sequence[Controller[Any]]
) -> Turns:
    return Turns(Leader(cluster, candidacy, alarm=Silence()), controllers)
