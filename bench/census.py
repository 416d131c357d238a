"""Counts objects by a watch: when there are so many, and when there are none left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from liqo.api.meta import Resource
from liqo.kube.cache import Cache
from liqo.kube.cluster import Cluster
from liqo.kube.paths import Scope
from liqo.kube.reading import Metadata, metadata

PATIENCE = 180.0  # seconds: what takes longer fails the benchmark


class Census:
    """Their metadata only: whoever counts should cost little."""

    def __init__(self, cache: Cache[Metadata]) -> None:
        self._cache = cache
        self._changed = asyncio.Event()
        cache.subscribe(lambda _, __: self._changed.set())

    @property
    def now(self) -> int:
        return len(self._cache)

    async def rises_to(self, count: int) -> None:
        await self._until(lambda: self.now >= count)

    async def falls_to(self, count: int) -> None:
        await self._until(lambda: self.now <= count)

    async def _until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():
                self._changed.clear()
                await self._changed.wait()


@asynccontextmanager
async def counted(cluster: Cluster, kind: type[Resource], scope: Scope) -> AsyncIterator[Census]:
    cache = Cache(cluster, metadata(kind), scope)
    async with asyncio.TaskGroup() as group:
        following = group.create_task(cache.run())
        await cache.wait_synced()
        yield Census(cache)
        following.cancel()
