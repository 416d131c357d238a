"""Controller, and the loop that every one of them runs: observe, plan, execute."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import structlog

from liqo.api.meta import Key, Resource
from liqo.kube.errors import Conflict, KubeError, Refused, Throttled
from liqo.runtime.errors import NotLeading
from liqo.runtime.failures import OF_ALL, Failures
from liqo.runtime.metrics import Metrics, count
from liqo.runtime.parts import Spare, perform_each
from liqo.runtime.plan import NOTHING, Part, Plan
from liqo.runtime.queue import Queue

REFUSED = 60.0  # seconds, at the slowest: a quota or a policy that we cannot watch may lift it
STUBBORN = 5  # conflicts in a row are no longer the watch being late

S = TypeVar("S")
KeysOf: TypeAlias = Callable[[Any], Iterable[Key]]
"""Which keys a change of this object concerns."""

Execute: TypeAlias = Callable[[Plan], Awaitable[None]]

log = structlog.get_logger()


class Source(Protocol):
    """What can be watched: a cache, or anything else that tells when it changes."""

    def subscribe(self, subscriber: Callable[[Any, Any], None]) -> Callable[[], None]: ...
    def values(self) -> Sequence[Any]: ...


@dataclass(frozen=True)
class Controller(Generic[S]):
    """Its name is its path: also field manager, log field, metric label and reporter of events."""

    name: str
    watches: Mapping[Any, KeysOf]  # Sources; it starts when those of its clusters are synced
    observe: Callable[[Key], S | None]
    plan: Callable[[S], Plan]
    manager: str = ""  # the field manager, where the wire fixes another than the name
    failed: Callable[[S, KubeError], Plan] | None = None  # what people are told when a write fails
    part_failed: Callable[[S, str, KubeError], Plan] | None = (
        None  # the same, of a part by its name
    )


def itself(changed: Resource) -> tuple[Key, ...]:
    return (changed.key,)


def owner(changed: Resource) -> tuple[Key, ...]:
    """Those that own it, in its namespace."""
    metadata = changed.metadata
    return tuple(Key(metadata.namespace, owner.name) for owner in metadata.owner_references)


@dataclass(frozen=True)
class Desk:
    """A controller at work: what it has to do, and what goes wrong with it."""

    controller: Controller[Any]
    metrics: Metrics
    queue: Queue = field(default_factory=Queue)
    failures: Failures = field(default_factory=Failures)
    spare: Spare = field(default_factory=Spare)  # turns, for parts of its plans

    @property
    def name(self) -> str:
        return self.controller.name

    def follow(self) -> Callable[[], None]:
        """From now on every change in a watched cache brings the keys it concerns.

        Gives back how to end it.
        """
        with ExitStack() as endings:
            for cache, keys_of in self.controller.watches.items():
                endings.callback(cache.subscribe(self._listener(keys_of)))
            return endings.pop_all().close

    def _listener(self, keys_of: KeysOf) -> Callable[[Any, Any], None]:
        def changed(old: Any, new: Any) -> None:
            """What the object was concerns those that it no longer points to."""
            for thing in (old, new):
                if thing is not None:
                    for key in keys_of(thing):
                        self.queue.add(key)
            if old is None and new is None:
                self.look_again()

        return changed

    def look_again(self) -> None:
        """At everything that is there, for what is no change of an object: a copy is complete now,
        or we may not follow it any more."""
        for cache, keys_of in self.controller.watches.items():
            for thing in cache.values():
                for key in keys_of(thing):
                    self.queue.add(key)

    def succeed(self, key: Key, plan: Plan) -> None:
        count(self.metrics.well, self.name, key.namespace)
        if self.failures.clear(key):
            log.info("recovered", controller=self.name, key=str(key))
        self.queue.forget(key)
        if plan.wake_after is not None:
            self.queue.add_after(key, plan.wake_after)

    def fail(self, key: Key, error: Exception) -> None:
        """The only retry: how soon depends on what went wrong."""
        match error:
            case NotLeading():
                self.queue.retry(key)  # with a renewed lease, or never
            case Conflict():
                if self.queue.retry(key) >= STUBBORN:  # else the watch is bringing the new view
                    self._complain(key, error)
            case Throttled():
                self.queue.retry(key, soonest=error.retry_after)
                self._complain(key, error)
            case Refused():
                self.queue.retry(key, slowest=REFUSED, refused=True)
                self._complain(key, error)
            case _:
                self.queue.retry(key)
                self._complain(key, error)

    def _complain(self, key: Key, error: Exception) -> None:
        """Say it once; the metrics show it until it is over."""
        self.metrics.reconcile_failures.labels(self.name, type(error).__name__).inc()
        count(self.metrics.failed, self.name, key.namespace)
        if not self.failures.note(key, error):
            return
        what = "refused" if isinstance(error, Refused) else "failed"
        if isinstance(error, KubeError):
            log.warning(what, controller=self.name, key=str(key), why=_words(error))
        else:  # a mistake of ours: where it happened is what one needs
            log.error(what, controller=self.name, key=str(key), exc_info=error)


async def work(desk: Desk, execute: Execute) -> None:
    """What every worker of a controller does: the only place where a reconcile can fail."""
    took = desk.metrics.reconcile_time.labels(desk.name)
    async for key in desk.queue:
        began = time.perf_counter()
        try:
            plan = await _reconcile(desk, key, execute)
        except Exception as error:
            desk.fail(key, error)
        else:
            desk.succeed(key, plan)
        finally:
            desk.queue.done(key)
            took.observe(time.perf_counter() - began)


async def _reconcile(desk: Desk, key: Key, execute: Execute) -> Plan:
    controller = desk.controller
    state = controller.observe(key)
    plan = controller.plan(state) if state is not None else NOTHING
    try:
        await execute(plan)
    except KubeError as error:
        if state is not None and controller.failed is not None:
            await execute(controller.failed(state, error))
        raise
    if state is not None and plan.parts:
        perform = partial(_perform, controller, state, execute)
        await perform_each(plan.parts, perform, desk.spare)
    return plan


async def _perform(controller: Controller[S], state: S, execute: Execute, part: Part) -> None:
    """That it failed is told at once: the others may take long."""
    try:
        await execute(Plan(part.actions))
    except OF_ALL:
        raise
    except KubeError as error:
        if controller.part_failed is not None:
            await execute(controller.part_failed(state, part.name, error))
        raise


def _words(error: KubeError) -> str:
    return "; ".join((str(error), *getattr(error, "__notes__", ())))
