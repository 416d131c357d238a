"""A cache, on a real API server: current again after everything that can happen to a connection."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import ClassVar
from urllib.parse import urlsplit

import pytest

from liqo.api.kubernetes import ConfigMap, CustomResourceDefinition
from liqo.api.meta import JSON, Key, Kind, Model, Resource
from liqo.kube.cache import Cache, Caches
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Expired
from liqo.kube.http import Limits
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.kube.paths import Scope
from liqo.kube.reading import metadata
from liqo.playground.cluster import Site
from tests.e2e.clusters import a_namespace, put
from tests.e2e.eventually import eventually
from tests.e2e.proxies import Proxy, proxy

CUTS = 100
HASTY = Limits(connect=1.0, silence=1.0)
PATIENCE = 60.0  # seconds for anything to happen, on a busy machine


@asynccontextmanager
async def connected(
    rome: Site, limits: Limits = HASTY
) -> AsyncIterator[tuple[Cluster, Cluster, Proxy]]:
    """Two ways to one API server: a straight one, and one through a proxy."""
    access = from_kubeconfig(str(rome.kubeconfig))
    async with proxy(access.server) as between:
        name = access.server_name or urlsplit(access.server).hostname or ""
        through = replace(
            access, server=f"https://127.0.0.1:{between.port}", server_name=name, proxy=""
        )
        async with (
            Cluster(access, name="rome") as straight,
            Cluster(through, name="rome", limits=limits) as detour,
        ):
            yield straight, detour, between


@asynccontextmanager
async def following(cache: Cache[ConfigMap]) -> AsyncIterator[Cache[ConfigMap]]:
    async with asyncio.TaskGroup() as group:
        running = group.create_task(cache.run())
        async with asyncio.timeout(PATIENCE):
            await cache.wait_synced()
        try:
            yield cache
        finally:
            running.cancel()


async def is_current(straight: Cluster, cache: Cache[ConfigMap]) -> bool:
    fresh = await straight.list(ConfigMap, scope=cache.scope, resource_version="")
    return versions(fresh.items) == versions(cache.values())


def versions(items: list[ConfigMap]) -> dict[Key, str]:
    return {item.key: item.metadata.resource_version for item in items}


async def test_a_hundred_cuts_cost_no_list(rome: Site) -> None:
    async with connected(rome) as (straight, detour, between), a_namespace(straight) as shop:
        cache = Cache(detour, ConfigMap, Scope(shop))
        heard = asyncio.Semaphore(0)
        async with following(cache):
            cache.subscribe(lambda old, new: heard.release())
            for number in range(CUTS):
                key = Key(shop, f"c{number % 10}")
                made = await put(straight, key, number=str(number))
                async with asyncio.timeout(PATIENCE):
                    while versions(cache.values()).get(key) != made["metadata"]["resourceVersion"]:
                        await heard.acquire()
                between.cut()
            await eventually(lambda: is_current(straight, cache), bool)
            assert cache.lists == 1
        assert between.connections >= CUTS


async def test_cuts_at_any_moment_lose_no_change(rome: Site) -> None:
    async with (
        connected(rome) as (straight, detour, between),
        a_namespace(straight) as shop,
        following(Cache(detour, ConfigMap, Scope(shop))) as cache,
    ):
        there: set[Key] = set()
        for number in range(200):
            key = Key(shop, f"c{random.randrange(20)}")
            if key in there and random.random() < 0.2:
                await straight.delete(ConfigMap.KIND, key)
                there.remove(key)
            else:
                await put(straight, key, number=str(number))
                there.add(key)
            if random.random() < 0.3:
                between.cut()
        await eventually(lambda: is_current(straight, cache), bool)
        assert cache.lists == 1


async def test_a_silent_link_is_given_up_and_resumed(rome: Site) -> None:
    async with (
        connected(rome) as (straight, detour, between),
        a_namespace(straight) as shop,
        following(Cache(detour, ConfigMap, Scope(shop))) as cache,
    ):
        between.hold()
        await put(straight, Key(shop, "late"))
        await eventually(lambda: _age(cache), lambda age: age > 3)
        assert cache.get(Key(shop, "late")) is None
        between.release()
        await eventually(lambda: is_current(straight, cache), bool)
        assert cache.lists == 1


async def _age(cache: Cache[ConfigMap]) -> float:
    return cache.age()


async def test_a_write_is_seen_at_once_and_told_once(rome: Site) -> None:
    async with connected(rome) as (straight, _, _), a_namespace(straight) as shop:
        caches = Caches(straight)
        whole, partial = (
            caches.of(ConfigMap, Scope(shop)),
            caches.of(metadata(ConfigMap), Scope(shop)),
        )
        told: list[ConfigMap] = []
        async with asyncio.TaskGroup() as group:
            running = group.create_task(caches.run())
            await caches.wait_synced()
            whole.subscribe(lambda old, new: told.append(new) if new else None)
            for number in range(20):
                caches.take(ConfigMap.KIND, await put(straight, Key(shop, "mine"), n=str(number)))
                mine = whole.get(Key(shop, "mine"))
                assert mine is not None
                assert mine.data == {"n": str(number)}
            await eventually(lambda: is_current(straight, whole), bool)
            running.cancel()
        mine_told = [each for each in told if each.key.name == "mine"]
        assert len(mine_told) == 20
        assert partial.get(Key(shop, "mine")) is not None


class ThingSpec(Model, frozen=True):
    size: int


class Thing(Resource, frozen=True, kw_only=True):
    KIND: ClassVar[Kind] = Kind("test.liqo.io", "v1", "Thing", "things")

    spec: ThingSpec


def a_definition() -> JSON:
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": anything},
    }
    names = {"kind": "Thing", "plural": "things"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.test.liqo.io"},
        "spec": {
            "group": "test.liqo.io",
            "names": names,
            "scope": "Namespaced",
            "versions": [version],
        },
    }


def a_thing(name: str, size: object) -> JSON:
    return {
        "apiVersion": "test.liqo.io/v1",
        "kind": "Thing",
        "metadata": {"name": name},
        "spec": {"size": size},
    }


async def test_a_kind_may_come_later_and_hold_nonsense(
    rome: Site, caplog: pytest.LogCaptureFixture
) -> None:
    async with connected(rome) as (straight, _, _), a_namespace(straight) as shop:
        cache = Cache(straight, Thing)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(cache.run())
            await eventually(lambda: _complaints(caplog, "is not served there (yet)"), bool)
            await straight.create(a_definition(), kind=CustomResourceDefinition.KIND)
            try:
                async with asyncio.timeout(PATIENCE):
                    await cache.wait_synced()
                await eventually(lambda: _is_history(straight, "1"))
                await straight.create(a_thing("odd", "huge"), kind=Thing.KIND, namespace=shop)
                await straight.create(a_thing("fine", 3), kind=Thing.KIND, namespace=shop)
                await eventually(lambda: _names(cache), ["fine"].__eq__)
                change: JSON = {"spec": {"size": 4}}
                await straight.patch(Thing.KIND, Key(shop, "odd"), change, how="merge")
                await eventually(lambda: _names(cache), ["fine", "odd"].__eq__)
            finally:
                await straight.delete(CustomResourceDefinition.KIND, Key("", "things.test.liqo.io"))
                running.cancel()
    assert await _complaints(caplog, "unreadable object ignored") == 1


async def _is_history(cluster: Cluster, version: str) -> bool:
    """What was before its kind, the API server cannot tell; at first it may put us off."""
    async with aclosing(cluster.watch(Thing, resource_version=version)) as changes:
        try:
            await anext(changes)
        except Expired:
            return True
    return False


async def _complaints(caplog: pytest.LogCaptureFixture, text: str) -> int:
    return sum(text in message for message in caplog.messages)


async def _names(cache: Cache[Thing]) -> list[str]:
    return sorted(item.key.name for item in cache)
