"""What several caches together say of one object."""

import asyncio

from liqo.api.kubernetes import ConfigMap, Namespace, Secret
from liqo.api.meta import Key, Meta
from liqo.kube.cache import Cache, Caches
from liqo.kube.cluster import Cluster
from liqo.kube.namespaced import Namespaces
from liqo.kube.paths import EVERYTHING, Scope
from liqo.runtime.memory import UNFOLLOWED, Followed
from liqo.runtime.view import view
from tests.unit.kube.scripted import Answer, a_config, a_list, scripted

A, ABSENT = Key("shop", "a"), Key("shop", "b")


async def synced(caches: Caches, scope: Scope) -> Cache[ConfigMap]:
    """Follow until the first list is there, then no further."""
    cache = caches.of(ConfigMap, scope)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(cache.run())
        await cache.wait_synced()
        running.cancel()
    return cache


LISTED = a_list(a_config("a", "3"), version="5")
EMPTY = a_list(version="5")


async def seen(scope: Scope, key: Key, listed: Answer = LISTED) -> object:
    async with scripted(listed) as server, Cluster(server.access) as cluster:
        caches = Caches(cluster)
        caches.of(Secret)
        cache = await synced(caches, scope)
        found = view(caches, ConfigMap.KIND, key)
        assert found is UNFOLLOWED or found.object in (None, cache.get(key))
        return found.object.key if found and found.object else found


async def test_a_cache_of_everything_knows_what_is_and_what_is_not() -> None:
    assert await seen(EVERYTHING, A) == A
    assert await seen(EVERYTHING, ABSENT) == Followed(None)


async def test_a_cache_of_another_namespace_knows_nothing() -> None:
    assert await seen(Scope("market"), A, EMPTY) is UNFOLLOWED
    assert await seen(Scope("shop"), ABSENT, EMPTY) == Followed(None)


async def test_a_cache_with_a_selector_knows_only_what_it_has() -> None:
    assert await seen(Scope(labels="app"), A) == A
    assert await seen(Scope(labels="app"), ABSENT) is UNFOLLOWED
    assert await seen(Scope(fields="metadata.name=a"), ABSENT) is UNFOLLOWED


async def test_of_several_copies_the_newest_counts() -> None:
    async with scripted() as server, Cluster(server.access) as cluster:
        caches = Caches(cluster)
        ages = {EVERYTHING: "3", Scope(labels="app"): "4", Scope("shop"): "2"}
        for scope, age in ages.items():
            meta = Meta(name="a", namespace="shop", labels={"app": "x"}, resource_version=age)
            caches.of(ConfigMap, scope).take(ConfigMap(metadata=meta))
        found = view(caches, ConfigMap.KIND, A)
        assert found is not UNFOLLOWED
        assert found.object is caches.of(ConfigMap, Scope(labels="app")).get(A)


async def test_a_cache_that_is_not_synced_knows_nothing() -> None:
    async with scripted() as server, Cluster(server.access) as cluster:
        caches = Caches(cluster)
        caches.of(ConfigMap)
        assert view(caches, ConfigMap.KIND, A) is UNFOLLOWED


async def test_while_another_namespace_is_being_listed_what_we_have_is_still_there() -> None:
    async with scripted() as server, Cluster(server.access) as cluster:
        caches = Caches(cluster)
        namespaces = caches.of(Namespace)
        copy = caches.within(Namespaces(namespaces), ConfigMap)
        namespaces.take(Namespace(metadata=Meta(name="shop", resource_version="1")))
        here = ConfigMap(metadata=Meta(name="a", namespace="shop", resource_version="2"))
        copy.take(here)
        assert not copy.synced
        assert view(caches, ConfigMap.KIND, A) == Followed(here)
        assert view(caches, ConfigMap.KIND, ABSENT) is UNFOLLOWED
