"""One process: its caches, controllers, health server and lease, in one task group, until a signal.

start   caches follow; wait for those of the local cluster
lead    with a lease: wait until we hold it; candidates keep their caches warm meanwhile
work    controllers reconcile, each once the clusters it watches are synced: a remote one that
        cannot be reached keeps nobody else from working. Each begins with all that is there
end     SIGTERM: what is in flight, here and to remotes, is finished, for 3.5 seconds; then the
        lease is released
"""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

import structlog

from liqo.kube.cache import Caches
from liqo.kube.copy import Copy
from liqo.runtime.controller import Controller, Desk, work
from liqo.runtime.errors import LeaseLost
from liqo.runtime.execute import Author, Executor, forever
from liqo.runtime.health import measure_lag, serve
from liqo.runtime.leader import Leader
from liqo.runtime.metrics import Metrics
from liqo.runtime.plan import Side
from liqo.runtime.remotes import Remotes
from liqo.runtime.turns import Turns

WORKERS = 8  # per controller: as many keys may wait for answers at a time, each on a connection
FINISHING = 3.5  # seconds for what is in flight, of the five in which we leave

log = structlog.get_logger()


@dataclass(frozen=True)
class Program:
    """What a process is made of; `run` brings it to life."""

    sites: Mapping[Side, Caches]
    controllers: Sequence[Controller[Any]]
    leader: Leader | None = None
    health_port: int | None = None  # None: nobody asks
    health_host: str = ""  # empty: on every address
    metrics: Metrics = field(default_factory=Metrics)
    remotes: Sequence[Remotes] = ()  # clusters that come and go
    turns: Turns | None = None  # what it shares with other programs
    missing: Callable[[], list[str]] = list  # what it lacks, beside its caches, to be ready
    beside: Sequence[Callable[[], Coroutine[Any, Any, None]]] = ()  # what else runs all the time
    on_recovery: Callable[[Callable[[], None]], None] | None = None  # of who could not be reached


async def run(program: Program, stop: asyncio.Event | None = None) -> None:
    """Return when told to stop by a signal (or the event), or when the lease is lost."""
    stop = stop or stopped_by_signal()
    desks = [Desk(controller, program.metrics) for controller in program.controllers]
    program.metrics.show_backlogs(partial(_all_desks, program, desks))
    if program.leader is not None:
        program.metrics.show_lease(program.leader.left)
    program.metrics.show_caches(partial(_caches, program))
    if program.on_recovery is not None:
        program.on_recovery(partial(_hurry, program, desks))
    try:
        async with asyncio.TaskGroup() as tasks:
            background = [tasks.create_task(task) for task in _background(program)]
            await _live(program, desks, stop)
            for task in background:
                task.cancel()
    except* LeaseLost as lost:
        log.error("lease lost", why=str(_first(lost)))


def stopped_by_signal() -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


async def _live(program: Program, desks: Sequence[Desk], stop: asyncio.Event) -> None:
    try:
        if await _unless_stopped(stop, _ready(program)):
            await _work(program, desks, stop)
    finally:
        if program.leader is not None:
            await program.leader.release()


async def _work(program: Program, desks: Sequence[Desk], stop: asyncio.Event) -> None:
    leader = program.leader
    left = leader.left if leader is not None else forever
    executor = Executor(program.sites, left=left)
    async with asyncio.TaskGroup() as tasks:
        keeping = [tasks.create_task(_keep(leader, program.turns))] if leader is not None else []
        for remotes in program.remotes:
            keeping.append(tasks.create_task(remotes.run(program.metrics, left)))
        if program.turns is not None:
            keeping.append(tasks.create_task(_share(program, program.turns, left, stop)))
        working = [tasks.create_task(_operate(program, desk, executor, stop)) for desk in desks]
        await stop.wait()
        log.info("stopping")
        await _finish(program, desks, working)
        for task in (*keeping, *working):
            task.cancel()


async def _keep(leader: Leader, turns: Turns | None) -> None:
    """A turn that is lost in the same moment must not be waited for again.

    To be told by cancellation alone is not enough: who leaves a task group with an error of its
    own forgets that it was asked to leave.
    """
    try:
        await leader.keep()
    finally:
        if turns is not None:
            turns.over = True


async def _share(
    program: Program, turns: Turns, left: Callable[[], float], stop: asyncio.Event
) -> None:
    def still() -> float:
        return min(left(), turns.leader.left())

    executor = Executor(program.sites, left=still)
    await turns.run(program.metrics, lambda desk: _operate(program, desk, executor, stop))


async def _ready(program: Program) -> None:
    if "local" in program.sites:
        await program.sites["local"].wait_synced()
    gc.collect()
    gc.freeze()  # what was listed at the start lives long: no pass over it ever again
    log.info("synced")
    if program.leader is not None:
        await program.leader.acquire()


async def _finish(
    program: Program, desks: Sequence[Desk], working: Sequence[asyncio.Task[None]]
) -> None:
    for desk in desks:
        desk.queue.close()
    async with asyncio.TaskGroup() as tasks:
        for remotes in program.remotes:
            tasks.create_task(remotes.finish(FINISHING))
        if program.turns is not None:
            tasks.create_task(program.turns.finish(FINISHING))
        if working:
            await asyncio.wait(working, timeout=FINISHING)


async def _operate(program: Program, desk: Desk, executor: Executor, stop: asyncio.Event) -> None:
    if not await _unless_stopped(stop, _synced(program, desk)):
        return
    author = Author(desk.name, desk.controller.manager or desk.name)
    with ExitStack() as following:
        # Not before: what came and went while nobody worked would be worked through now.
        following.callback(desk.follow())
        async with asyncio.TaskGroup() as tasks:
            for _ in range(WORKERS):
                tasks.create_task(work(desk, partial(executor.execute, author)))


async def _synced(program: Program, desk: Desk) -> None:
    watched = desk.controller.watches.keys()
    for caches in program.sites.values():
        if not watched.isdisjoint(caches):
            await caches.wait_synced(watched)


def _background(program: Program) -> Iterator[Coroutine[Any, Any, None]]:
    for caches in program.sites.values():
        yield caches.run()
    yield measure_lag(program.metrics)
    yield from (each() for each in program.beside)
    if program.health_port is not None:
        asked = partial(missing, program)
        yield serve(program.health_port, program.metrics, asked, program.health_host)


def _all_desks(program: Program, own: Sequence[Desk]) -> list[Desk]:
    shared = program.turns.desks if program.turns is not None else ()
    remote = chain.from_iterable(remotes.desks() for remotes in program.remotes)
    return [*own, *shared, *remote]


def _hurry(program: Program, own: Sequence[Desk]) -> None:
    for desk in _all_desks(program, own):
        desk.queue.hurry()


def _caches(program: Program) -> dict[str, Copy[Any]]:
    return {
        f"{caches.cluster.name}: {cache}": cache
        for caches in program.sites.values()
        for cache in caches
    }


def missing(program: Program) -> list[str]:
    caches = [name for name, cache in _caches(program).items() if not cache.synced]
    return [*caches, *program.missing()]


def _first(group: BaseExceptionGroup[LeaseLost]) -> LeaseLost:
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner


async def _unless_stopped(stop: asyncio.Event, first: Coroutine[Any, Any, None]) -> bool:
    """True if it came to its end; False if it was given up for the stop."""
    async with asyncio.TaskGroup() as tasks:
        both = [tasks.create_task(first), tasks.create_task(stop.wait())]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        for task in both:
            task.cancel()
    return not stop.is_set()
