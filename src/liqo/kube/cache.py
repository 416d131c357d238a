"""Cache: a current copy of one kind. Caches: all those of one cluster, none of them twice.

A cache lists once and then watches. However a watch ends, the next one resumes from the last
version it saw; only when the API server says that this version is history is there a new list.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Generic, TypeVar

from liqo.api.meta import JSON, Key, Kind, Resource
from liqo.kube.cluster import Cluster
from liqo.kube.copy import Copy, Followed, Subscriber
from liqo.kube.errors import Expired, Forbidden, KubeError, NotFound, Throttled, Unauthorized
from liqo.kube.fading import Fading
from liqo.kube.indexes import Index
from liqo.kube.listing import Listing
from liqo.kube.namespaced import Namespaced, Region
from liqo.kube.opening import AT_A_TIME, Opening
from liqo.kube.paths import EVERYTHING, Scope
from liqo.kube.reading import Bookmark, Change, Event, O, Reading, Unreadable, encode, reading
from liqo.kube.store import Store, is_newer, number, version

log = logging.getLogger(__name__)

SLICE = 200  # objects stored between two breaths of the event loop: some milliseconds
FIRST_PAUSE = 0.05  # seconds before a watch is resumed; doubled while nothing comes
LONGEST_PAUSE = 5.0
REFUSAL = 5.0  # seconds: an API server that has just started forbids all until it knows its roles

F = TypeVar("F", bound=Followed[Any])
T = TypeVar("T")


class Cache(Generic[O]):
    def __init__(
        self,
        cluster: Cluster,
        kind: type[O] | Reading[O],
        scope: Scope = EVERYTHING,
        clock: Callable[[], float] = time.monotonic,
        turns: asyncio.Semaphore | None = None,
    ) -> None:
        self.reading = reading(kind)
        self.scope = scope
        self.newest = False  # its first list, too: what that does not name is taken for gone
        self.lists = 0  # made so far: one, unless the API server forgot where we were
        self._cluster = cluster
        self._clock = clock
        self._turns = turns or asyncio.Semaphore()
        self._store: Store[O] = Store(str(self))
        is_news = self.reading.is_news
        self._fading = Fading(is_news, clock) if is_news is not None else None
        self._synced = asyncio.Event()
        self._settled = asyncio.Event()
        self._position = ""  # where the next watch starts; empty: list first
        self._seen = 0  # the version up to which the watch has told everything
        self._current_at = -float("inf")
        self._failures = 0  # in a row, without a word from the API server in between
        self._refused = False
        self._forbidden_since: float | None = None
        self._unrecognized = False
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

    def chooses(self, key: Key) -> bool:
        return self.scope.holds(key)

    def covers(self, key: Key) -> bool:
        return self.synced and self.chooses(key)

    def is_unreadable(self, key: Key) -> bool:
        return key in self._unreadable

    @property
    def synced(self) -> bool:
        return self._synced.is_set()

    async def wait_synced(self) -> None:
        await self._synced.wait()

    @property
    def settled(self) -> bool:
        return self._settled.is_set()

    async def wait_settled(self) -> None:
        await self._settled.wait()

    @property
    def forbidden(self) -> bool:
        return self._forbidden_since is not None

    @property
    def refused(self) -> bool:
        """Subscribers are told once when that begins. This copy is what it was before."""
        return self._refused

    @property
    def unrecognized(self) -> bool:
        """The API server takes our credentials for nobody's."""
        return self._unrecognized

    def age(self) -> float:
        """Seconds since this copy was known to be current: up to 60 while nothing changes."""
        return self._clock() - self._current_at

    def age_of(self, _: Key) -> float:
        return self.age()

    def subscribe(self, subscriber: Subscriber[O]) -> Callable[[], None]:
        return self._store.subscribe(subscriber)

    def take(self, written: O) -> None:
        if version(written) > self._seen and is_newer(written, self.get(written.key)):
            self._put(written)

    async def run(self) -> None:
        while True:
            pause = 0.0
            try:
                async with Opening(self._turns) as opening:
                    if not self._position:
                        await self._list()
                    await self._watch(opening.over)
            except Expired:
                self._position = ""
            except NotFound as gone:
                self._position = ""
                self._complain(f"{self} is not served there (yet)", gone)
            except Throttled as later:
                pause = later.retry_after
                self._complain("put off", later)
            except KubeError as wrong:
                self._fail(wrong)
            await asyncio.sleep(max(pause, self._pause()))

    def _fail(self, wrong: KubeError) -> None:
        self._unrecognized = isinstance(wrong, Unauthorized)
        if isinstance(wrong, Forbidden):
            self._settled.set()
            self._forbid()
        else:
            self._allow()
        if self._failures:  # a single cut is daily business
            self._complain("cannot be followed", wrong)

    def _forbid(self) -> None:
        now = self._clock()
        if self._forbidden_since is None:
            self._forbidden_since = now
        if not self._refused and now - self._forbidden_since >= REFUSAL:
            self._refused = True
            self._store.alarm()

    def _allow(self) -> None:
        self._refused, self._forbidden_since = False, None

    def _pause(self) -> float:
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**self._failures)
        self._failures = min(self._failures + 1, 20)
        return pause * random.uniform(0.5, 1.5)

    async def _list(self) -> None:
        # The API server's memory may be older than what we have seen, or than what must be known.
        fresh = "" if self.lists or self.newest else "0"
        listing = await self._cluster.list(self.reading, scope=self.scope, resource_version=fresh)
        await self.adopt(listing)

    async def adopt(self, listing: Listing[O]) -> None:
        """Take this list as what is there, and watch from it on."""
        self.lists += 1
        await self._replace(listing)
        self._synced.set()
        self._settled.set()
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
                self._store.remove(present.key)
        for key in self._unreadable.keys() - {item.key for item in listing.unreadable}:
            del self._unreadable[key]
        for unreadable in listing.unreadable:
            self._lose(unreadable)

    async def _watch(self, begun: Callable[[], None]) -> None:
        watch = self._cluster.watch(
            self.reading, scope=self.scope, resource_version=self._position, begun=begun
        )
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
                self._unreadable.pop(change.object.key, None)
                present = self.get(change.object.key)
                if present is not None and version(present) <= version(change.object):
                    self._store.remove(present.key)
            case Event():
                if is_newer(change.object, self.get(change.object.key)):
                    self._put(change.object)
        return change.object.metadata.resource_version

    def _heard(self, position: str) -> None:
        self._position = position
        self._seen = max(self._seen, number(position))
        self._current_at = self._clock()
        self._failures = 0
        self._allow()
        self._unrecognized = False
        for key in self._fading.over() if self._fading is not None else ():
            self._store.remove(key)
        if self._complaint:
            log.info("followed again", extra={"cache": str(self), "cluster": self._cluster.name})
            self._complaint = ""

    def _put(self, new: O) -> None:
        key = new.key
        self._unreadable.pop(key, None)
        if self._fading is not None:
            self._fading.note(new)
        self._store.put(key, new)

    def _lose(self, item: Unreadable) -> None:
        if item.deleted:
            self._unreadable.pop(item.key, None)
        elif self._unreadable.get(item.key) != item.reason:
            self._unreadable[item.key] = item.reason
            where = {"cache": str(self), "cluster": self._cluster.name, "key": str(item.key)}
            log.warning("unreadable object ignored", extra={**where, "why": item.reason})
        self._store.remove(item.key)

    def _complain(self, what: str, error: KubeError) -> None:
        if self._complaint != str(error):
            self._complaint = str(error)
            where = {"cache": str(self), "cluster": self._cluster.name}
            log.warning(what, extra={**where, "why": self._complaint})


class Caches:
    """What one process knows of one cluster."""

    def __init__(self, cluster: Cluster, clock: Callable[[], float] = time.monotonic) -> None:
        self.cluster = cluster
        self.newest: Collection[Kind] = ()  # of these also the first list must not be old
        self._clock = clock
        self._turns = asyncio.Semaphore(AT_A_TIME)
        self._copies: dict[object, Any] = {}  # by what they are a copy of
        self._later: set[Copy[Any]] = set()  # those that only who watches them waits for
        self._shared: dict[object, Any] = {}  # what is worked out of them
        self._tasks: dict[Followed[Any], asyncio.Task[None]] = {}
        self._group: asyncio.TaskGroup | None = None

    def __iter__(self) -> Iterator[Copy[Any]]:
        return iter(list(self._copies.values()))

    def of(self, kind: type[O] | Reading[O], scope: Scope = EVERYTHING) -> Cache[O]:
        """The cache of that kind and scope; made, and started if we run, when first asked for."""
        return self._kept((reading(kind), scope), lambda: self._cache(kind, scope))

    def later(self, kind: type[O] | Reading[O], scope: Scope = EVERYTHING) -> Cache[O]:
        """The same, for what may be long, or forbidden: only who watches it waits for it."""
        copy = self.of(kind, scope)
        self._later.add(copy)
        return copy

    def within(
        self, namespaces: Region, kind: type[O] | Reading[O], scope: Scope = EVERYTHING
    ) -> Namespaced[O]:
        """The same for namespaces that come and go: one watch in each of them."""

        def part(namespace: str) -> Cache[O]:
            return self._cache(kind, replace(scope, namespace=namespace))

        wanted = reading(kind)
        return self._kept(
            (wanted, scope, namespaces), lambda: Namespaced(wanted, scope, namespaces, part)
        )

    def shared(self, what: object, make: Callable[[], T]) -> T:
        """What is worked out of our copies, once for all who ask; made when first asked for."""
        if what not in self._shared:
            self._shared[what] = make()
        made: T = self._shared[what]
        return made

    def release(self, copy: Followed[O]) -> None:
        """Stop following; nobody needs it any more."""
        self._copies = {name: kept for name, kept in self._copies.items() if kept is not copy}
        self._later.discard(copy)
        _close(copy)
        if task := self._tasks.pop(copy, None):
            task.cancel()

    def reconnect(self) -> None:
        """Ask the API server anew for what we follow: rights are checked when a watch begins."""
        for copy, task in list(self._tasks.items()):
            task.cancel()
            self._start(copy)

    @property
    def synced(self) -> bool:
        return all(copy.synced for copy in self)

    async def wait_synced(self, watched: Collection[Any] = ()) -> None:
        """All that everybody needs, and of the rest what is watched."""
        for copy in self:
            if copy not in self._later or copy in watched:
                await copy.wait_synced()

    def take(self, kind: Kind, answer: JSON) -> None:
        """Give a write's answer, a whole object, to the copies that it belongs in."""
        body = encode(answer)
        for copy in self:
            if copy.reading.kind == kind:
                written = self.cluster.codec(copy.reading.model).object_or_reason(body)
                if not isinstance(written, Unreadable) and _belongs(written, copy):
                    copy.take(written)

    async def run(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                for copy in self._copies.values():
                    self._start(copy)
                await asyncio.Event().wait()  # others may be asked for later
        finally:
            for copy in self:
                _close(copy)

    def _cache(self, kind: type[O] | Reading[O], scope: Scope) -> Cache[O]:
        made = Cache(self.cluster, kind, scope, self._clock, self._turns)
        made.newest = made.reading.kind in self.newest
        return made

    def _kept(self, what: object, make: Callable[[], F]) -> F:
        made: F | None = self._copies.get(what)
        if made is None:
            made = self._copies[what] = make()
            self._start(made)
        return made

    def _start(self, copy: Followed[Any]) -> None:
        if self._group is not None:
            self._tasks[copy] = self._group.create_task(copy.run(), name=f"following {copy}")


def _belongs(written: Resource, copy: Copy[Any]) -> bool:
    """Where that is not certain, the watch tells whether a new one is among it."""
    return copy.get(written.key) is not None or copy.scope.admits(written)


def _close(copy: Copy[Any]) -> None:
    """Its source may live longer than we do, and would tell it on."""
    if isinstance(copy, Namespaced):
        copy.close()
