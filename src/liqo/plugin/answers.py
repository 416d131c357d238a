"""What a resource plugin says about each consumer: read again and again, and kept while it is away.

Watched like a copy, it holds the consumers that were asked about:

    when                                | what is done
    ------------------------------------+----------------------------------------------------
    a consumer is wanted                | read
    the plugin gives notice of one      | read; what it says meanwhile is one notice
    some time has passed                | read: a notice may have been missed
    no answer in time, or none at all   | kept what was last believed, and the reason; read
                                        | again, ever more slowly
    an answer that cannot be believed   | the same
    a consumer is forgotten             | the plugin is told, until it has heard it

A restart forgets: whoever granted something has written it down.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import Protocol

import structlog

from liqo.api.meta import Key
from liqo.api.values import ResourceList
from liqo.kube.audience import Audience
from liqo.plugin.errors import Silent
from liqo.plugin.judgement import Lie, believed, shortened
from liqo.plugin.messages import EVERYBODY, Pool
from liqo.rules.telling import Told
from liqo.runtime.queue import Queue

WORKERS = 8  # consumers that are asked about at a time: one for which it hangs holds up few others

log = structlog.get_logger()


class Plugin(Protocol):
    """One that can be asked; whatever goes wrong is a Silent."""

    @property
    def pace(self) -> float: ...  # seconds between two readings of one consumer
    async def read(self, consumer: str) -> tuple[Pool, ...]: ...
    async def remove(self, consumer: str) -> None: ...
    def notices(self) -> AsyncGenerator[str, None]: ...


@dataclass(frozen=True)
class Patience:
    """In seconds."""

    answer: float = 5.0
    breath: float = 0.1  # between two readings of one consumer, however often a plugin gives notice
    first: float = 0.5  # pause before another subscription; it doubles, up to the slowest
    slowest: float = 10.0  # pause after failures: a plugin that comes back is heard by then
    subscription: float = 300.0  # then another: one that was cut off silently is found out


class Answers:
    def __init__(self, plugin: Plugin, source: str, patience: Patience | None = None) -> None:
        self._plugin = plugin
        self._source = source
        self._patience = patience or Patience()
        self._told: dict[str, Told] = {}  # by consumer: those that are wanted
        self._due = Queue()
        self._audience = Audience(self.values)
        self.subscribe = self._audience.subscribe

    def told(self, consumer: str) -> Told:
        return self._told.get(consumer) or Told(None, self._source)

    def want(self, consumer: str) -> None:
        if consumer not in self._told:
            self._told[consumer] = Told(None, self._source)
            self._due.add(Key("", consumer))

    def forget(self, consumer: str) -> None:
        if self._told.pop(consumer, None) is not None:
            self._due.add(Key("", consumer))

    def values(self) -> list[str]:
        return list(self._told)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._listen())
            for _ in range(WORKERS):
                tasks.create_task(self._work())

    async def _work(self) -> None:
        async for key in self._due:
            try:
                async with asyncio.timeout(self._patience.answer):
                    await self._attend(key)
            except TimeoutError:
                self._fail(key, f"it does not answer within {self._patience.answer:g} s")
            except Silent as wrong:
                self._fail(key, str(wrong))
            else:
                self._due.forget(key)
            await asyncio.sleep(self._patience.breath)
            self._due.done(key)

    async def _attend(self, key: Key) -> None:
        consumer = key.name
        if consumer not in self._told:
            await self._plugin.remove(consumer)
            return
        heard = await self._heard(consumer)
        self._due.add_after(key, self._plugin.pace)
        self._know(consumer, Told(heard, self._source))

    async def _heard(self, consumer: str) -> ResourceList:
        try:
            heard = believed(await self._plugin.read(consumer))
        except Silent:
            raise
        except Exception as wrong:  # a stranger wrote it: whatever it does to us, we go on
            why = str(wrong) or type(wrong).__name__
            raise Silent(shortened(f"its answer makes no sense: {why}")) from wrong
        if isinstance(heard, Lie):
            raise Silent(heard.why)
        return heard

    def _fail(self, key: Key, why: str) -> None:
        self._due.retry(key, slowest=self._patience.slowest)
        self._know(key.name, replace(self.told(key.name), problem=why))

    def _know(self, consumer: str, news: Told) -> None:
        if self._told.get(consumer, news) == news:
            return  # as before, or forgotten meanwhile
        self._told[consumer] = news
        if news.problem:
            log.warning("resource plugin not heard", consumer=consumer, why=news.problem)
        else:
            log.info("resource plugin heard", consumer=consumer, resources=news.resources)
        self._audience.tell(consumer)

    async def _listen(self) -> None:
        """A subscription that fails is not told: the readings fail as well, or they suffice."""
        pause = self._patience.first
        while True:
            began = time.monotonic()
            await self._subscribed()
            self._notice(EVERYBODY)  # it may be another one from now on, or none
            lasted = time.monotonic() - began
            pause = after(pause, lasted, self._patience)
            await asyncio.sleep(pause)

    async def _subscribed(self) -> None:
        with suppress(TimeoutError, Silent):
            async with asyncio.timeout(self._patience.subscription):
                async with aclosing(self._plugin.notices()) as notices:
                    async for consumer in notices:
                        self._notice(consumer)

    def _notice(self, about: str) -> None:
        for consumer in self._told if about == EVERYBODY else {about} & self._told.keys():
            self._due.add(Key("", consumer))


def after(pause: float, lasted: float, patience: Patience) -> float:
    """Before the next subscription: those that end at once come ever more slowly."""
    if lasted > patience.slowest:
        return patience.first
    return min(2 * pause, patience.slowest)
