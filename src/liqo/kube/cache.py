"""Cache: a current copy of one kind. Caches: all those of one cluster, none of them twice.

A cache lists once and then watches. However a watch ends, the next one resumes from the last
version it saw; only when the API server says that this version is history is there a new list.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing
from functools import partial
from typing import Any, Generic, TypeAlias

from liqo.api.meta import JSON, Key, Kind
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Expired, Forbidden, KubeError, NotFound, Throttled
from liqo.kube.indexes import Index
from liqo.kube.listing import Listing
from liqo.kube.paths import EVERYTHING, Scope
from liqo.kube.reading import (
    Bookmark,
    Change,
    Event,
    O,
    Reading,
    Unreadable,
    encode,
    reading,
)
from liqo.kube.store import Store, is_newer, number, version

log = logging.getLogger(__name__)

SLICE = 200  # objects stored between two breaths of the event loop: some milliseconds
FIRST_PAUSE = 0.05  # seconds before a watch is resumed; doubled while nothing comes
LONGEST_PAUSE = 5.0

Subscriber: TypeAlias = Callable[[O | None, O | None], None]  # (old, new); None: was not, is not


class Cache(Generic[O]):
    def __init__(
        self, cluster: Cluster, kind: type[O] | Reading[O], scope: Scope = EVERYTHING
    ) -> None:
        self.reading = reading(kind)
        self.scope = scope
        self.lists = 0  # made so far: one, unless the API server forgot where we were
        self._cluster = cluster
        self._store: Store[O] = Store()
        self._subscribers: list[Subscriber[O]] = []
        self._synced = asyncio.Event()
        self._position = ""  # where the next watch starts; empty: list first
        self._seen = 0  # the version up to which the watch has told everything
        self._current_at = -float("inf")
        self._failures = 0  # in a row, without a word from the API server in between
        self._refused = False
        self._complaint = ""
        self._unreadable: dict[Key, str] = {}

    def __str__(self) -> str:
        return f"{self.reading.kind} ({self.scope})"

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

    @property
    def synced(self) -> bool:
        return self._synced.is_set()

    async def wait_synced(self) -> None:
        await self._synced.wait()

    @property
    def refused(self) -> bool:
        """The API server forbids us to follow; this copy is what it was before."""
        return self._refused

    def age(self) -> float:
        """Seconds since this copy was known to be current: up to 60 while nothing changes."""
        return time.monotonic() - self._current_at

    def subscribe(self, subscriber: Subscriber[O]) -> Callable[[], None]:
        """Tell of every change from now on, and first of all that is there already.

        Gives back how to end it.
        """
        self._subscribers.append(subscriber)
        for present in self.values():
            self._tell(subscriber, None, present)
        return partial(self._subscribers.remove, subscriber)

    def take(self, written: O) -> None:
        """Use a write's answer as the newest copy, unless the watch has already told more."""
        if version(written) > self._seen and is_newer(written, self.get(written.key)):
            self._put(written)

    async def run(self) -> None:
        while True:
            pause = 0.0
            try:
                if not self._position:
                    await self._list()
                await self._watch()
            except Expired:
                self._position = ""
            except NotFound as gone:
                self._position = ""
                self._complain(f"{self} is not served there (yet)", gone)
            except Throttled as later:
                pause = later.retry_after
                self._complain("put off", later)
            except KubeError as wrong:
                self._refused = isinstance(wrong, Forbidden)
                if self._failures:  # a single cut is daily business
                    self._complain("cannot be followed", wrong)
            await asyncio.sleep(max(pause, self._pause()))

    def _pause(self) -> float:
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**self._failures)
        self._failures = min(self._failures + 1, 20)
        return pause * random.uniform(0.5, 1.5)

    async def _list(self) -> None:
        # The first may come from the API server's memory. Later ones may not: its memory could
        # be older than what we have seen.
        fresh = "" if self.lists else "0"
        listing = await self._cluster.list(self.reading, scope=self.scope, resource_version=fresh)
        self.lists += 1
        await self._replace(listing)
        self._synced.set()
        self._heard(listing.resource_version)

    async def _replace(self, listing: Listing[O]) -> None:
        upto = number(listing.resource_version)
        restored = upto < self._seen  # from a backup: versions start again from there
        self._seen = upto
        keys = set()
        for count, item in enumerate(listing.items, start=1):
            key = item.key
            keys.add(key)
            if restored or is_newer(item, self.get(key)):
                self._put(item)
            if count % SLICE == 0:
                await asyncio.sleep(0)
        for present in self.values():
            if present.key not in keys and (restored or version(present) <= upto):
                self._remove(present.key)
        for unreadable in listing.unreadable:
            self._lose(unreadable)

    async def _watch(self) -> None:
        watch = self._cluster.watch(self.reading, scope=self.scope, resource_version=self._position)
        async with aclosing(watch) as changes:
            async for change in changes:
                self._heard(self._follow(change))

    def _follow(self, change: Change[O]) -> str:
        """Do as the change says; gives back its version."""
        match change:
            case Bookmark():
                return change.resource_version
            case Unreadable():
                self._lose(change)
                return change.resource_version
            case Event("DELETED"):
                present = self.get(change.object.key)
                if present is not None and version(present) <= version(change.object):
                    self._remove(present.key)
            case Event():
                if is_newer(change.object, self.get(change.object.key)):
                    self._put(change.object)
        return change.object.metadata.resource_version

    def _heard(self, position: str) -> None:
        self._position = position
        self._seen = max(self._seen, number(position))
        self._current_at = time.monotonic()
        self._failures = 0
        self._refused = False
        if self._complaint:
            log.info("followed again", extra={"cache": str(self), "cluster": self._cluster.name})
            self._complaint = ""

    def _put(self, new: O) -> None:
        key = new.key
        self._unreadable.pop(key, None)
        self._publish(self._store.put(key, new), new)

    def _remove(self, key: Key) -> None:
        self._publish(self._store.remove(key), None)

    def _lose(self, item: Unreadable) -> None:
        if item.deleted:
            self._unreadable.pop(item.key, None)
        elif self._unreadable.get(item.key) != item.reason:
            self._unreadable[item.key] = item.reason
            where = {"cache": str(self), "cluster": self._cluster.name, "key": str(item.key)}
            log.warning("unreadable object ignored", extra={**where, "why": item.reason})
        if self.get(item.key) is not None:
            self._remove(item.key)

    def _publish(self, old: O | None, new: O | None) -> None:
        for subscriber in self._subscribers:
            self._tell(subscriber, old, new)

    def _tell(self, subscriber: Subscriber[O], old: O | None, new: O | None) -> None:
        try:
            subscriber(old, new)
        except Exception:  # whoever is told may fail; the copy stays current for the others
            log.exception("subscriber failed", extra={"cache": str(self)})

    def _complain(self, what: str, error: KubeError) -> None:
        if self._complaint != str(error):
            self._complaint = str(error)
            where = {"cache": str(self), "cluster": self._cluster.name}
            log.warning(what, extra={**where, "why": self._complaint})


class Caches:
    """What one process knows of one cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._caches: dict[tuple[Reading[Any], Scope], Cache[Any]] = {}
        self._tasks: dict[Cache[Any], asyncio.Task[None]] = {}
        self._group: asyncio.TaskGroup | None = None

    def __iter__(self) -> Iterator[Cache[Any]]:
        return iter(list(self._caches.values()))

    def of(self, kind: type[O] | Reading[O], scope: Scope = EVERYTHING) -> Cache[O]:
        """The cache of that kind and scope; made, and started if we run, when first asked for."""
        wanted = reading(kind), scope
        cache = self._caches.get(wanted)
        if cache is None:
            cache = self._caches[wanted] = Cache(self.cluster, kind, scope)
            self._start(cache)
        return cache

    def release(self, cache: Cache[O]) -> None:
        """Stop following; nobody needs it any more."""
        self._caches.pop((cache.reading, cache.scope), None)
        if task := self._tasks.pop(cache, None):
            task.cancel()

    def reconnect(self) -> None:
        """Ask the API server anew for what we follow: rights are checked when a watch begins."""
        for cache, task in list(self._tasks.items()):
            task.cancel()
            self._start(cache)

    @property
    def synced(self) -> bool:
        return all(cache.synced for cache in self)

    async def wait_synced(self) -> None:
        for cache in self:
            await cache.wait_synced()

    def take(self, kind: Kind, answer: JSON) -> None:
        """Give a write's answer, a whole object, to the caches that it belongs in."""
        body = encode(answer)
        for cache in self:
            if cache.reading.kind == kind:
                written = self.cluster.codec(cache.reading.model).object_or_reason(body)
                if not isinstance(written, Unreadable) and _belongs(written.key, cache):
                    cache.take(written)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            self._group = group
            for cache in self:
                self._start(cache)
            await asyncio.Event().wait()  # others may be asked for later

    def _start(self, cache: Cache[Any]) -> None:
        if self._group is not None:
            self._tasks[cache] = self._group.create_task(cache.run(), name=f"cache {cache}")


def _belongs(key: Key, cache: Cache[Any]) -> bool:
    scope = cache.scope
    if scope.labels or scope.fields:
        return cache.get(key) is not None  # the watch says whether a new one is chosen
    return scope.namespace in {"", key.namespace}
