"""Other clusters that a program works with for a while: each comes, goes and fails on its own.

The local cluster is there as long as the program; a remote one as long as something here says so,
a Secret for one. Each has its own connection, caches, controllers and task group, so that one that
is slow, dead or wrong holds up no other. New credentials are swapped in place: what is followed is
followed on. (docs/adr/0014-remotes.md)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import structlog

from liqo.api.meta import Key
from liqo.kube.access import Access
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.copy import Copy
from liqo.kube.errors import Forbidden, KubeError
from liqo.kube.http import Request
from liqo.runtime.controller import Controller, Desk, work
from liqo.runtime.execute import Author, Executor, forever
from liqo.runtime.metrics import Metrics
from liqo.runtime.pace import IMPATIENT
from liqo.runtime.plan import Plan

WORKERS = 4  # per controller and remote: these write seldom
# Who hangs must not hold up those who leave it: a request is given up long before they are.
LIMITS = replace(IMPATIENT, answer=8.0)
PAUSE = 30.0  # seconds before a remote that failed by a mistake of ours is tried again

log = structlog.get_logger()


@dataclass(frozen=True)
class Remote:
    """A cluster to work with. With another server or place it is another one: all starts anew."""

    name: str
    access: Access
    place: str  # there: a namespace
    controllers: Callable[[Caches], Sequence[Controller[Any]]] = field(compare=False)


Unusable: TypeAlias = str
"""Why there is no Remote where there should be one."""

Wanted: TypeAlias = Mapping[Key, Remote | Unusable]


@dataclass(frozen=True)
class Checking:
    """How often, in seconds, a remote is asked whether it lives, and how long it may take."""

    every: float = 5.0  # 0: never, and it counts as alive
    within: float = 5.0
    first: float = 2.0


@dataclass
class _Session:
    remote: Remote
    cluster: Cluster
    task: asyncio.Task[None] | None = None
    alive: bool | None = None  # None: not asked yet
    desks: list[Desk] = field(default_factory=list)
    working: list[asyncio.Task[None]] = field(default_factory=list)


class Remotes:
    """`wanted` is asked again whenever something changes in `source`."""

    def __init__(
        self,
        here: Caches,
        source: Copy[Any],
        wanted: Callable[[], Wanted],
        checking: Checking | None = None,
    ) -> None:
        self._here = here
        self._source = source
        self._wanted = wanted
        self._checking = checking or Checking()
        self._sessions: dict[Key, _Session] = {}
        self._complaints: dict[Key, Unusable] = {}
        self._changed = asyncio.Event()
        self._finishing = False

    def alive(self, name: str) -> bool | None:
        """Whether the API server of that remote answered when it was last asked; None: unknown."""
        for session in self._sessions.values():
            if session.remote.name == name:
                return session.alive
        return None

    def desks(self) -> list[Desk]:
        return [desk for session in self._sessions.values() for desk in session.desks]

    async def finish(self, within: float) -> None:
        """Begin nothing new; return when what is under way is done, or after so many seconds."""
        self._finishing = True
        for desk in self.desks():
            desk.queue.close()
        working = [task for session in self._sessions.values() for task in session.working]
        if working:
            await asyncio.wait(working, timeout=within)

    async def run(self, metrics: Metrics, left: Callable[[], float] = forever) -> None:
        """`left` are the seconds that our lease lasts."""
        serve = partial(self._serve, metrics, left)
        end = self._source.subscribe(lambda _, __: self._changed.set())
        self._changed.set()
        try:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    await self._changed.wait()
                    self._changed.clear()
                    if self._finishing:
                        continue
                    for session in self._settle(self._wanted()):
                        session.task = tasks.create_task(serve(session))
        finally:
            end()
            self._sessions.clear()

    def _settle(self, wanted: Wanted) -> list[_Session]:
        """End and change what is to be ended and changed; gives back what is to be started."""
        for key in self._sessions.keys() - wanted.keys():
            self._end(key)
        started = []
        for key, remote in wanted.items():
            if isinstance(remote, Unusable):
                self._complain(key, remote)  # what we have serves on
                continue
            self._complaints.pop(key, None)
            session = self._sessions.get(key)
            if session is not None and is_same(session.remote, remote):
                _swap(session, remote)
                continue
            self._end(key)
            cluster = Cluster(remote.access, name=remote.name, limits=LIMITS)
            session = _Session(remote, cluster)
            self._sessions[key] = session
            started.append(session)
        return started

    def _end(self, key: Key) -> None:
        session = self._sessions.pop(key, None)
        self._complaints.pop(key, None)
        if session is not None and session.task is not None:
            log.info("remote ended", remote=session.remote.name)
            session.task.cancel()

    def _complain(self, key: Key, reason: Unusable) -> None:
        if self._complaints.get(key) != reason:
            self._complaints[key] = reason
            log.warning("remote cannot be used", key=str(key), why=reason)

    async def _serve(self, metrics: Metrics, left: Callable[[], float], session: _Session) -> None:
        log.info("remote started", remote=session.remote.name)
        while True:
            try:
                async with session.cluster:
                    await self._work(metrics, left, session)
            except Exception:  # of one remote: the others go on
                log.exception("remote failed", remote=session.remote.name)
            await asyncio.sleep(PAUSE)

    async def _work(self, metrics: Metrics, left: Callable[[], float], session: _Session) -> None:
        there = Caches(session.cluster)
        desks = [Desk(each, metrics) for each in session.remote.controllers(there)]
        session.desks, session.working = desks, []
        await self._here.wait_synced()  # with what these controllers want to know of it
        executor = Executor({"local": self._here, "remote": there}, left=left)
        with ExitStack() as endings:
            for desk in desks:
                endings.callback(desk.follow())
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(there.run())
                tasks.create_task(self._check(session))
                for desk in desks:
                    execute = partial(_execute, executor, there, desk)
                    for _ in range(WORKERS):
                        session.working.append(tasks.create_task(work(desk, execute)))
                await there.wait_synced()
                for desk in desks:
                    desk.look_again()  # what is not there is news, too

    async def _check(self, session: _Session) -> None:
        checking = self._checking
        session.alive = True if not checking.every else None
        await asyncio.sleep(checking.first)
        while checking.every:
            session.alive = await is_alive(session.cluster, checking.within)
            await asyncio.sleep(checking.every)


def is_same(one: Remote, other: Remote) -> bool:
    return (one.name, one.access.server, one.place) == (
        other.name,
        other.access.server,
        other.place,
    )


async def is_alive(cluster: Cluster, within: float) -> bool:
    try:
        async with asyncio.timeout(within):
            await cluster.request(Request("GET", "/livez", accept="*/*"))
    except (KubeError, TimeoutError):
        return False
    return True


def _swap(session: _Session, remote: Remote) -> None:
    if session.remote.access != remote.access:
        session.cluster.swap(remote.access)
        log.info("credentials swapped", remote=remote.name)
    session.remote = remote


async def _execute(executor: Executor, there: Caches, desk: Desk, plan: Plan) -> None:
    author = Author(desk.name, desk.controller.manager or desk.name)
    try:
        await executor.execute(author, plan)
    except Forbidden as no:
        # Perhaps all our rights are gone. A watch that is open would not tell; a new one does.
        if not no.is_of_a_webhook and not any(cache.forbidden for cache in there):
            there.reconnect()
        raise
