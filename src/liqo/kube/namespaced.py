"""Namespaced: one kind in namespaces that come and go, read as if it were one copy.

For whoever may not, or should not, follow a kind in the whole cluster. Each namespace has a watch
of its own; when it leaves, its objects are told as removed. One that we may not read (yet) is tried
again and keeps nobody waiting: `refused` says so. (docs/adr/0017-namespaces-that-come-and-go.md)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Any, Generic, Protocol, TypeAlias

from liqo.api.meta import Key, Resource
from liqo.kube.arrivals import Arrivals
from liqo.kube.copy import Copy, Followed, Subscriber
from liqo.kube.indexes import Index
from liqo.kube.paths import Scope
from liqo.kube.reading import O, Reading
from liqo.kube.store import Store

Change: TypeAlias = Callable[[str], None]
"""What is done with a namespace that enters or leaves."""


class Region(Protocol):
    """Namespaces that come and go."""

    @property
    def source(self) -> Copy[Any]:
        """From which it is known which they are."""

    def follow(self, enter: Change, leave: Change) -> Callable[[], None]:
        """Tell of those that are in it already, and of every change; gives back how to end it."""


def itself(namespace: Resource) -> Iterable[str]:
    return (namespace.metadata.name,)


@dataclass(frozen=True)
class Namespaces:
    """Those that the objects of a copy name; of Namespaces, they themselves."""

    source: Copy[Any]
    named_by: Callable[[Any], Iterable[str]] = itself

    def follow(self, enter: Change, leave: Change) -> Callable[[], None]:
        named: dict[Key, frozenset[str]] = {}  # the namespaces, for each object that names some
        naming: dict[str, set[Key]] = {}  # the objects, for each namespace that is named

        def changed(old: Resource | None, new: Resource | None) -> None:
            [key] = {thing.key for thing in (old, new) if thing is not None}
            before = named.get(key, frozenset())
            named[key] = after = frozenset(self.named_by(new) if new is not None else ())
            for name in after - before:
                if name not in naming:
                    enter(name)
                naming.setdefault(name, set()).add(key)
            for name in before - after:
                naming[name].discard(key)
                if not naming[name]:
                    del naming[name]
                    leave(name)
            if not after:
                del named[key]

        return self.source.subscribe(changed)


@dataclass
class _Part(Generic[O]):
    """What is followed in one namespace."""

    copy: Followed[O]
    end: Callable[[], None]  # of its news to us
    tasks: tuple[asyncio.Task[None], ...] = ()


class Namespaced(Generic[O]):
    """`part` makes what follows one namespace: a Cache."""

    def __init__(
        self,
        reading: Reading[O],
        scope: Scope,
        namespaces: Region,
        part: Callable[[str], Followed[O]],
    ) -> None:
        self.reading = reading
        self.scope = scope
        self.arrivals = Arrivals()  # namespaces in which a missing object is really none
        self._namespaces = namespaces
        self._part = part
        self._parts: dict[str, _Part[O]] = {}
        self._unsettled: dict[str, asyncio.Event] = {}  # set when that namespace settles, or leaves
        self._group: asyncio.TaskGroup | None = None
        self._store: Store[O] = Store(str(self))
        self.close = namespaces.follow(self._enter, self._leave)

    def __str__(self) -> str:
        return f"{self.reading.kind} ({self.scope}) in each {self._namespaces.source}"

    def __len__(self) -> int:
        return len(self._store)

    def __iter__(self) -> Iterator[O]:
        return iter(self._store)

    def values(self) -> list[O]:
        return list(self._store)

    def get(self, key: Key) -> O | None:
        return self._store.get(key)

    def by(self, index: Index, value: str) -> list[O]:
        return self._store.by(index, value)

    def chooses(self, key: Key) -> bool:
        part = self._parts.get(key.namespace)
        return part is not None and part.copy.chooses(key)

    def covers(self, key: Key) -> bool:
        part = self._parts.get(key.namespace)
        return part is not None and part.copy.covers(key)

    def is_unreadable(self, key: Key) -> bool:
        part = self._parts.get(key.namespace)
        return part is not None and part.copy.is_unreadable(key)

    def subscribe(self, subscriber: Subscriber[O]) -> Callable[[], None]:
        return self._store.subscribe(subscriber)

    def take(self, written: O) -> None:
        if part := self._parts.get(written.key.namespace):
            part.copy.take(written)

    @property
    def synced(self) -> bool:
        return self._namespaces.source.synced and self.settled

    async def wait_synced(self) -> None:
        await self._namespaces.source.wait_synced()
        await self.wait_settled()

    @property
    def settled(self) -> bool:
        return not self._unsettled

    async def wait_settled(self) -> None:
        """Those that are there now: while hundreds enter, one of them always is not."""
        for entering in list(self._unsettled.values()):
            await entering.wait()

    @property
    def forbidden(self) -> bool:
        return any(part.copy.forbidden for part in self._parts.values())

    @property
    def refused(self) -> bool:
        return any(part.copy.refused for part in self._parts.values())

    def age_of(self, key: Key) -> float:
        part = self._parts.get(key.namespace)
        return part.copy.age() if part is not None else inf

    def age(self) -> float:
        """Of the oldest part that we may read."""
        followed = (part.copy for part in self._parts.values() if not part.copy.forbidden)
        return max(self._namespaces.source.age(), *(copy.age() for copy in followed), 0.0)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            self._group = group
            for name in self._parts:
                self._start(name)
            await asyncio.Event().wait()  # others may enter later

    def _enter(self, name: str) -> None:
        copy = self._part(name)
        self._parts[name] = _Part(copy, copy.subscribe(self._changed))
        self._unsettled[name] = asyncio.Event()
        self._start(name)

    def _leave(self, name: str) -> None:
        part = self._parts.pop(name)
        part.end()
        self.arrivals.remove(name)
        for task in part.tasks:
            task.cancel()
        for left in part.copy.values():
            self._store.remove(left.key)
        self._settle(name)

    def _start(self, name: str) -> None:
        if self._group is not None:
            part = self._parts[name]
            following = self._group.create_task(part.copy.run(), name=f"following {part.copy}")
            part.tasks = following, self._group.create_task(self._watch_settling(name, part))

    async def _watch_settling(self, name: str, part: _Part[O]) -> None:
        await part.copy.wait_settled()
        self._settle(name)
        await part.copy.wait_synced()  # later, where we may not read it yet
        self.arrivals.add(name)

    def _settle(self, name: str) -> None:
        if entering := self._unsettled.pop(name, None):
            entering.set()

    def _changed(self, old: O | None, new: O | None) -> None:
        if new is not None:
            self._store.put(new.key, new)
        elif old is not None:
            self._store.remove(old.key)
