"""Writes of those who may apply, and of those who may only create and update."""

from __future__ import annotations

import json

import pytest

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import Key
from liqo.cli.objects import Stamp
from liqo.cli.writing import overlay, put, remove
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.runtime.plan import Manifest
from tests.unit.kube.scripted import a_config, refuses, says, scripted

WANTED = Manifest(ConfigMap.KIND, {"metadata": {"name": "a", "namespace": "shop"}, "data": {}})


async def test_what_is_wanted_is_applied_with_the_users_labels() -> None:
    async with scripted(says(a_config("a", "2"))) as server, Cluster(server.access) as cluster:
        await put(cluster, WANTED, Stamp({"team": "x"}))
    request = server.asked[0]
    assert request.method == "PATCH"
    assert "fieldManager=liqoctl" in request.path
    assert json.loads(request.body)["metadata"]["labels"] == {"team": "x"}


async def test_who_may_not_apply_creates() -> None:
    script = (refuses(403, "no patch"), says(a_config("a", "2")))
    async with scripted(*script) as server, Cluster(server.access) as cluster:
        await put(cluster, WANTED, Stamp())
    assert [request.method for request in server.asked] == ["PATCH", "POST"]


async def test_who_may_not_apply_updates_what_is_there() -> None:
    there = a_config("a", "2", kept="yes")
    script = (
        refuses(403, "no patch"),
        refuses(409, "taken", reason="AlreadyExists"),
        says(there),
        says(there),
    )
    async with scripted(*script) as server, Cluster(server.access) as cluster:
        await put(cluster, WANTED, Stamp())
    assert [request.method for request in server.asked] == ["PATCH", "POST", "GET", "PUT"]
    assert json.loads(server.asked[-1].body)["data"] == {"kept": "yes"}


async def test_what_is_being_deleted_is_not_made_so() -> None:
    ending = {"metadata": {"name": "a", "deletionTimestamp": "2026-01-01T00:00:00Z"}}
    async with scripted(says(ending)) as server, Cluster(server.access) as cluster:
        with pytest.raises(LiqoError, match=r'the ConfigMap "shop/a" of .* is being deleted'):
            await put(cluster, WANTED, Stamp())


async def test_what_stands_as_it_is_wanted_is_not_written() -> None:
    """A peering user may make a Secret and not change it."""
    there = {**a_config("a", "2"), "apiVersion": "v1", "kind": "ConfigMap"}
    taken = refuses(409, "taken", reason="AlreadyExists")
    script = (refuses(403, "no patch"), taken, says(there))
    async with scripted(*script) as server, Cluster(server.access) as cluster:
        assert await put(cluster, WANTED, Stamp()) == there


async def test_the_end_of_what_is_gone_is_told() -> None:
    script = (says(a_config("a", "2")), refuses(404, "gone"))
    async with scripted(*script) as server, Cluster(server.access) as cluster:
        assert await remove(cluster, ConfigMap.KIND, Key("shop", "a"))
        assert not await remove(cluster, ConfigMap.KIND, Key("shop", "a"))


def test_an_overlay_keeps_what_others_wrote() -> None:
    there = {"spec": {"csr": "x", "class": "old"}, "status": {"a": 1}}
    assert overlay(there, {"spec": {"class": "new"}, "kind": "T"}) == {
        "spec": {"csr": "x", "class": "new"},
        "status": {"a": 1},
        "kind": "T",
    }
