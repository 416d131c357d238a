"""Caches: what begins at once does not ask at once."""

from __future__ import annotations

import asyncio
import gc
from dataclasses import replace
from weakref import ref

import pytest

from liqo.api.kubernetes import ConfigMap, Secret
from liqo.api.meta import Key
from liqo.kube.access import Access
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.opening import AT_A_TIME
from liqo.kube.paths import Scope
from tests.unit.kube.scripted import (
    Answer,
    Asked,
    Scripted,
    a_bookmark,
    a_config,
    a_list,
    a_watch,
    says,
    serving,
)

A = Key("shop", "a")


class Slow(Scripted):
    """Lists wait for each other's."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what = what
        self.go_on = asyncio.Event()

    def answer(self, asked: Asked) -> Answer:
        if asked.path.endswith("/a"):
            return says(a_config("a", "3"))
        is_watch = "watch" in asked.path
        answer = a_watch(a_bookmark("10"), stays=True) if is_watch else a_list(version="10")
        return replace(answer, when=self.go_on) if is_watch == (self.what == "watch") else answer


@pytest.mark.parametrize(("slow", "asked"), [("list", AT_A_TIME), ("watch", 2 * AT_A_TIME)])
async def test_of_many_that_begin_at_once_few_ask_at_a_time(slow: str, asked: int) -> None:
    """A list, and the watch that follows it, are one turn."""
    async with serving(Slow(slow)) as server, Cluster(server.access) as cluster:
        caches = Caches(cluster)
        copies = [caches.of(ConfigMap, Scope(f"shop-{number}")) for number in range(3 * AT_A_TIME)]
        async with asyncio.TaskGroup() as group:
            running = group.create_task(caches.run())
            await server.until_asked(asked)
            await cluster.get(ConfigMap, A)  # more would have come before
            assert len(server.asked) == asked + 1
            server.go_on.set()
            for copy in copies:
                await copy.wait_synced()
            await server.until_asked(2 * len(copies) + 1)
            running.cancel()


def test_what_is_worked_out_of_copies_is_worked_out_once() -> None:
    caches = Caches(Cluster(Access("http://rome.invalid")))
    first = caches.shared("names", list[str])
    assert caches.shared("names", list[str]) is first
    assert caches.shared("others", list[str]) is not first
    assert list(caches) == []


def test_what_is_let_go_leaves_nothing_behind() -> None:
    caches = Caches(Cluster(Access("http://rome.invalid")))
    copy = caches.later(ConfigMap)
    gone = ref(copy)
    caches.release(copy)
    del copy
    gc.collect()
    assert gone() is None


async def test_of_some_kinds_also_the_first_list_is_the_newest() -> None:
    async with serving(Slow("watch")) as server, Cluster(server.access) as cluster:
        server.go_on.set()
        caches = Caches(cluster)
        caches.newest = (ConfigMap.KIND,)
        caches.of(ConfigMap, Scope("shop"))
        caches.of(Secret, Scope("shop"))
        async with asyncio.TaskGroup() as group:
            running = group.create_task(caches.run())
            await caches.wait_synced()
            running.cancel()
    lists = sorted(each.path for each in server.asked if "watch" not in each.path)
    assert lists == [
        "/api/v1/namespaces/shop/configmaps",
        "/api/v1/namespaces/shop/secrets?resourceVersion=0",
    ]
