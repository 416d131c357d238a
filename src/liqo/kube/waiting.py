"""Wait until one object is as one wants it, without asking again and again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from liqo.api.meta import Key
from liqo.kube.cache import Cache
from liqo.kube.cluster import Cluster
from liqo.kube.paths import Scope
from liqo.kube.reading import O


async def until(cluster: Cluster, kind: type[O], key: Key, holds: Callable[[O], bool]) -> O:
    """The object, once that holds. Waits for ever: put `asyncio.timeout` around it."""
    scope = Scope(namespace=key.namespace, fields=f"metadata.name={key.name}")
    await cluster.list(kind, scope=scope)  # a cache would patiently retry what we may not read
    found: asyncio.Future[O] = asyncio.get_running_loop().create_future()

    def look(_: O | None, new: O | None) -> None:
        if new is not None and not found.done() and holds(new):
            found.set_result(new)

    cache = Cache(cluster, kind, scope)
    cache.subscribe(look)
    async with asyncio.TaskGroup() as group:
        following = group.create_task(cache.run())
        try:
            return await found
        finally:
            following.cancel()
