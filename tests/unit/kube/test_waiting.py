"""Waiting for one object."""

from __future__ import annotations

import asyncio

import pytest

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import Key, Meta
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Forbidden
from liqo.kube.paths import Scope
from liqo.kube.waiting import absent, until
from tests.unit.kube.scripted import (
    a_bookmark,
    a_config,
    a_list,
    a_watch,
    an_event,
    refuses,
    scripted,
)

KEY = Key("shop", "a")


async def test_it_ends_when_the_object_is_as_wanted() -> None:
    now = a_list(a_config("a", "3"), version="10")
    later = a_watch(an_event("MODIFIED", a_config("a", "11", ready="yes")), stays=True)
    async with scripted(now, later) as server, Cluster(server.access) as cluster:
        async with asyncio.timeout(10):
            found = await until(cluster, ConfigMap, KEY, lambda item: "ready" in item.data)
    assert found.data == {"ready": "yes"}
    assert "fieldSelector=metadata.name%3Da" in server.asked[0].path


async def test_what_may_not_be_read_is_not_awaited() -> None:
    async with scripted(refuses(403, "no")) as server, Cluster(server.access) as cluster:
        with pytest.raises(Forbidden):
            await until(cluster, ConfigMap, KEY, lambda _: True)


async def test_absence_is_awaited_as_a_whole() -> None:
    now = a_list(a_config("a", "3"), a_config("b", "4"), version="10")
    later = a_watch(
        an_event("DELETED", a_config("a", "11")),
        an_event("DELETED", a_config("b", "12")),
        stays=True,
    )
    async with scripted(now, later) as server, Cluster(server.access) as cluster:
        async with asyncio.timeout(10):
            await absent(cluster, ConfigMap, Scope("shop", labels="app=web"))
    assert [request.path.count("watch=true") for request in server.asked] == [0, 1]


async def test_what_is_absent_already_costs_one_request() -> None:
    async with scripted(a_list(version="10")) as server, Cluster(server.access) as cluster:
        await absent(cluster, ConfigMap, Scope("shop"))
    assert len(server.asked) == 1


async def test_what_a_write_gave_back_need_not_be_read_again() -> None:
    seen = ConfigMap(metadata=Meta(name="a", namespace="shop", resource_version="7"))
    later = a_watch(an_event("MODIFIED", a_config("a", "8", ready="yes")), stays=True)
    async with scripted(later) as server, Cluster(server.access) as cluster:
        await until(cluster, ConfigMap, KEY, lambda item: "ready" in item.data, seen)
        assert await until(cluster, ConfigMap, KEY, lambda _: True, seen) is seen
    assert len(server.asked) == 1
    assert "watch=true" in server.asked[0].path
    assert "resourceVersion=7" in server.asked[0].path


async def test_who_may_not_watch_asks_again() -> None:
    """A peering user is one."""
    before, after = a_config("a", "3"), a_config("a", "4", ready="yes")
    script = (a_list(before, version="3"), refuses(403), a_list(after, version="4"))
    async with scripted(*script) as server, Cluster(server.access) as cluster:
        async with asyncio.timeout(10):
            await until(cluster, ConfigMap, KEY, lambda item: "ready" in item.data)
    assert len(server.asked) == 3


async def test_history_that_is_gone_is_read_anew() -> None:
    script = (a_list(a_config("a", "3"), version="3"), refuses(410), a_list(version="9"))
    async with scripted(*script) as server, Cluster(server.access) as cluster:
        async with asyncio.timeout(10):
            await absent(cluster, ConfigMap, Scope("shop"))


async def test_a_watch_that_ends_is_resumed_where_it_was() -> None:
    first = a_watch(a_bookmark("5"))
    second = a_watch(an_event("DELETED", a_config("a", "6")), stays=True)
    script = (a_list(a_config("a", "3"), version="3"), first, second)
    async with scripted(*script) as server, Cluster(server.access) as cluster:
        async with asyncio.timeout(10):
            await absent(cluster, ConfigMap, Scope("shop"))
    assert "resourceVersion=5" in server.asked[2].path
