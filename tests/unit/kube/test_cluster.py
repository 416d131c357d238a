"""What each verb sends, and what becomes of the answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import msgspec
import pytest

from liqo.api.kubernetes import ConfigMap, Namespace, Pod
from liqo.api.meta import Key, OwnerReference
from liqo.kube.access import Material, User
from liqo.kube.cluster import ONLY_METADATA, ONLY_METADATA_LIST, Cluster, Token
from liqo.kube.errors import Expired, ServerFault, Throttled
from liqo.kube.http import Request
from liqo.kube.paths import Scope
from liqo.kube.reading import Bookmark, Event, metadata
from tests.unit.kube.scripted import (
    Answer,
    Scripted,
    a_bookmark,
    a_config,
    a_list,
    a_watch,
    an_event,
    refuses,
    says,
    scripted,
)

KEY = Key("shop", "settings")
PATH = "/api/v1/namespaces/shop/configmaps/settings"


@asynccontextmanager
async def rome(*answers: Answer) -> AsyncIterator[tuple[Cluster, Scripted]]:
    async with scripted(*answers) as server, Cluster(server.access, name="rome") as cluster:
        yield cluster, server


async def test_get_decodes_the_object() -> None:
    async with rome(says(a_config("settings", "5", a="1"))) as (cluster, server):
        found = await cluster.get(ConfigMap, KEY)
    assert (found.key, found.data) == (KEY, {"a": "1"})
    assert server.asked[0].path == PATH


async def test_get_of_metadata_asks_for_no_more() -> None:
    async with rome(says(a_config("settings", "5"))) as (cluster, server):
        assert (await cluster.get(metadata(ConfigMap), KEY)).key == KEY
    assert server.asked[0].headers["accept"] == ONLY_METADATA


async def test_an_object_that_cannot_be_read_is_an_error_of_the_server() -> None:
    async with rome(says({"metadata": 3})) as (cluster, _):
        with pytest.raises(ServerFault, match="ConfigMap shop/settings is not as it should be"):
            await cluster.get(ConfigMap, KEY)


async def test_list_asks_for_what_is_in_memory_all_at_once() -> None:
    items = a_config("a", "3"), a_config("b", "4")
    async with rome(a_list(*items, version="9")) as (cluster, server):
        listing = await cluster.list(ConfigMap, scope=Scope("shop", labels="app=web"))
    assert [item.key.name for item in listing.items] == ["a", "b"]
    assert listing.resource_version == "9"
    path = "/api/v1/namespaces/shop/configmaps?labelSelector=app%3Dweb&resourceVersion=0"
    assert server.asked[0].path == path


async def test_a_list_is_repeated_like_any_read() -> None:
    half = Answer(b'{"items":[{"metadata"', cut=True)
    async with rome(half, refuses(503), a_list(a_config("a", "3"), version="9")) as (cluster, _):
        listing = await cluster.list(ConfigMap)
    assert [item.key.name for item in listing.items] == ["a"]


async def test_a_list_of_metadata_asks_for_no_more() -> None:
    async with rome(a_list(version="9")) as (cluster, server):
        await cluster.list(metadata(ConfigMap), resource_version="")
    assert server.asked[0].headers["accept"] == ONLY_METADATA_LIST
    assert server.asked[0].path == "/api/v1/configmaps"


async def test_a_list_that_cannot_be_read_is_an_error_of_the_server() -> None:
    async with rome(Answer(b"<html>")) as (cluster, _):
        with pytest.raises(ServerFault, match="the list of configmaps"):
            await cluster.list(ConfigMap)


async def test_watch_tells_changes_and_bookmarks() -> None:
    stream = a_watch(an_event("ADDED", a_config("a", "5")), a_bookmark("7"))
    async with rome(stream) as (cluster, server):
        first, second = [change async for change in cluster.watch(ConfigMap, resource_version="4")]
    assert isinstance(first, Event)
    assert second == Bookmark("7")
    query = server.asked[0].path.partition("?")[2]
    assert query.startswith("watch=true&allowWatchBookmarks=true&resourceVersion=4&timeoutSeconds=")


async def test_a_watch_from_too_long_ago_is_expired() -> None:
    gone = {"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "too old"}}
    async with rome(a_watch(gone)) as (cluster, _):
        with pytest.raises(Expired, match="rome: too old"):
            async for _change in cluster.watch(ConfigMap, resource_version="4"):
                pass


async def test_a_watch_that_cannot_be_read_is_an_error_of_the_server() -> None:
    async with rome(Answer(b"<html>\n")) as (cluster, _):
        with pytest.raises(ServerFault, match="a line of a watch"):
            async for _change in cluster.watch(ConfigMap, resource_version="4"):
                pass


async def test_apply_forces_under_the_name_of_the_manager() -> None:
    async with rome(says({"a": 1})) as (cluster, server):
        answer = await cluster.apply(
            {"data": {}},
            kind=ConfigMap.KIND,
            key=KEY,
            manager="provider/quota",
            subresource="status",
        )
    assert answer == {"a": 1}
    asked = server.asked[0]
    assert asked.method == "PATCH"
    assert asked.path == f"{PATH}/status?fieldManager=provider%2Fquota&force=true"
    assert asked.headers["content-type"] == "application/apply-patch+yaml"


async def test_create_can_do_without_the_whole_answer() -> None:
    async with rome(says({})) as (cluster, server):
        await cluster.create({}, kind=ConfigMap.KIND, namespace="shop", answer="metadata")
    asked = server.asked[0]
    assert (asked.method, asked.path) == ("POST", "/api/v1/namespaces/shop/configmaps")
    assert asked.headers["accept"] == ONLY_METADATA


@pytest.mark.parametrize(
    ("how", "content_type"),
    [
        ("merge", "application/merge-patch+json"),
        ("strategic", "application/strategic-merge-patch+json"),
    ],
)
async def test_a_patch_says_how_it_is_meant(how: str, content_type: str) -> None:
    async with rome(says({})) as (cluster, server):
        await cluster.patch(ConfigMap.KIND, KEY, {}, how=how, manager="x")  # type: ignore[arg-type]  # it is one of them
    assert server.asked[0].headers["content-type"] == content_type
    assert server.asked[0].path == f"{PATH}?fieldManager=x"


async def test_a_json_patch_is_a_list() -> None:
    change = {"op": "remove", "path": "/data/a"}
    async with rome(says({})) as (cluster, server):
        await cluster.patch(ConfigMap.KIND, KEY, [change], how="json")
    assert server.asked[0].headers["content-type"] == "application/json-patch+json"
    assert msgspec.json.decode(server.asked[0].body) == [change]


async def test_an_answer_that_cannot_be_read_is_an_error_of_the_server() -> None:
    async with rome(Answer(b"[]")) as (cluster, _):
        with pytest.raises(ServerFault, match="the answer to POST"):
            await cluster.create({}, kind=Namespace.KIND)


async def test_delete_can_be_sure_of_what_it_deletes() -> None:
    async with rome(says({}), says({})) as (cluster, server):
        await cluster.delete(
            Pod.KIND, KEY, uid="u", resource_version="7", grace=0, propagation="Foreground"
        )
        await cluster.delete(Pod.KIND, KEY)
    careful, plain = (msgspec.json.decode(asked.body) for asked in server.asked)
    assert careful["preconditions"] == {"uid": "u", "resourceVersion": "7"}
    assert (careful["gracePeriodSeconds"], careful["propagationPolicy"]) == (0, "Foreground")
    assert plain == {"apiVersion": "v1", "kind": "DeleteOptions"}


async def test_an_eviction_against_the_budget_is_put_off_at_once() -> None:
    async with rome(refuses(429, "would violate the budget", Retry_After="10")) as (
        cluster,
        server,
    ):
        with pytest.raises(Throttled, match="budget"):
            await cluster.evict(KEY, uid="u", grace=5)
    body = msgspec.json.decode(server.asked[0].body)
    assert server.asked[0].path == "/api/v1/namespaces/shop/pods/settings/eviction"
    assert body["deleteOptions"]["gracePeriodSeconds"] == 5
    assert body["deleteOptions"]["preconditions"] == {"uid": "u"}


async def test_a_token_can_be_bound_to_a_pod() -> None:
    answer = {"status": {"token": "t", "expirationTimestamp": "2030-01-01T00:00:00Z"}}
    pod = OwnerReference(api_version="v1", kind="Pod", name="web", uid="u")
    async with rome(says(answer)) as (cluster, server):
        token = await cluster.token(KEY, audiences=["a"], expiration_seconds=600, bound_to=pod)
    assert token == Token("t", "2030-01-01T00:00:00Z")
    assert msgspec.json.decode(server.asked[0].body)["spec"] == {
        "audiences": ["a"],
        "expirationSeconds": 600,
        "boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": "u"},
    }


async def test_any_other_request_and_stream() -> None:
    async with rome(Answer(b"raw"), Answer(b"a log")) as (cluster, _):
        assert await cluster.request(Request("GET", "/metrics")) == b"raw"
        async with cluster.stream("/log", silence=10) as chunks:
            assert b"".join([chunk async for chunk in chunks]) == b"a log"


async def test_a_cluster_knows_how_long_it_has_heard_nothing() -> None:
    async with rome(says({})) as (cluster, _):
        await cluster.request(Request("GET", "/version"))
        assert cluster.silent_for() < 10


async def test_a_cluster_can_be_reached_with_other_credentials() -> None:
    async with rome(says({})) as (cluster, server):
        access = replace(server.access, user=User(token=Material(data="new")))
        cluster.swap(access)
        await cluster.request(Request("GET", "/version"))
    assert cluster.access == access
    assert server.asked[0].headers["authorization"] == "Bearer new"
