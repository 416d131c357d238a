"""Caches that know a first list and follow no further, in front of a scripted API server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import JSON
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.runtime.pace import IMPATIENT
from tests.unit.kube.scripted import Answer, Scripted, a_list, a_watch, scripted


@asynccontextmanager
async def a_site(
    *answers: Answer, there: tuple[JSON, ...] = ()
) -> AsyncIterator[tuple[Caches, Scripted]]:
    """`there` are the ConfigMaps of the list, `answers` are those to what the test sends."""
    first = a_list(*there, version="5")
    async with (
        scripted(first, a_watch(stays=True), *answers) as server,
        Cluster(server.access, name="rome", limits=IMPATIENT) as cluster,
    ):
        caches = Caches(cluster)
        cache = caches.of(ConfigMap)
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(cache.run())
            await server.until_asked(2)
            running.cancel()
        server.asked.clear()
        yield caches, server
