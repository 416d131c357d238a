"""Waiting for one object."""

from __future__ import annotations

import asyncio

import pytest

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import Key
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Forbidden
from liqo.kube.waiting import until
from tests.unit.kube.scripted import a_config, a_list, a_watch, an_event, refuses, scripted

KEY = Key("shop", "a")


async def test_it_ends_when_the_object_is_as_wanted() -> None:
    now = a_list(a_config("a", "3"), version="10")
    later = a_watch(an_event("MODIFIED", a_config("a", "11", ready="yes")), stays=True)
    async with scripted(now, now, later) as server, Cluster(server.access) as cluster:
        async with asyncio.timeout(10):
            found = await until(cluster, ConfigMap, KEY, lambda item: "ready" in item.data)
    assert found.data == {"ready": "yes"}
    assert "fieldSelector=metadata.name%3Da" in server.asked[0].path


async def test_what_may_not_be_read_is_not_awaited() -> None:
    async with scripted(refuses(403, "no")) as server, Cluster(server.access) as cluster:
        with pytest.raises(Forbidden):
            await until(cluster, ConfigMap, KEY, lambda _: True)
