"""A cache is current, whatever happens to its connection."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

import msgspec
import pytest

from liqo.api.kubernetes import ConfigMap, Secret
from liqo.api.meta import JSON, Key
from liqo.kube import indexes
from liqo.kube.access import Access
from liqo.kube.cache import REFUSAL, Cache, Caches
from liqo.kube.cluster import Cluster
from liqo.kube.paths import Scope
from liqo.kube.reading import metadata
from tests.unit.kube.scripted import (
    CUT,
    Answer,
    Hands,
    Scripted,
    a_bookmark,
    a_config,
    a_list,
    a_watch,
    an_event,
    refuses,
    scripted,
)

GONE = {"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "too old"}}
A, B = Key("shop", "a"), Key("shop", "b")


@asynccontextmanager
async def following(
    *answers: Answer, clock: Callable[[], float] = time.monotonic
) -> AsyncIterator[tuple[Cache[ConfigMap], Scripted]]:
    async with scripted(*answers) as server, Cluster(server.access, name="rome") as cluster:
        cache = Cache(cluster, ConfigMap, clock=clock)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(cache.run())
            try:
                yield cache, server
            finally:
                running.cancel()


def contents(cache: Cache[ConfigMap]) -> dict[str, dict[str, str]]:
    return {item.key.name: item.data for item in cache}


def read(item: JSON) -> ConfigMap:
    return msgspec.json.decode(msgspec.json.encode(item), type=ConfigMap)


async def test_it_lists_once_and_then_follows() -> None:
    changes = a_watch(
        an_event("ADDED", a_config("c", "12")),
        an_event("MODIFIED", a_config("a", "13", x="2")),
        an_event("DELETED", a_config("b", "14")),
    )
    first = a_list(a_config("a", "3", x="1"), a_config("b", "4"), version="10")
    async with following(first, changes) as (cache, server):
        await server.until_asked(3)
        assert contents(cache) == {"a": {"x": "2"}, "c": {}}
        assert cache.synced
        assert cache.age() < 10
        assert cache.lists == 1
    assert "resourceVersion=10" in server.asked[1].path
    assert "resourceVersion=14" in server.asked[2].path


async def test_until_its_first_list_it_is_not_synced() -> None:
    async with following() as (cache, server):
        await server.until_asked(1)
        assert not cache.synced
        assert cache.age() == float("inf")


@pytest.mark.parametrize(
    "fault",
    [
        a_watch(a_bookmark("20"), cut=True),
        a_watch(a_bookmark("20")),
        Answer(msgspec.json.encode(a_bookmark("20")) + b'\n{"type":"ADD', cut=True),
    ],
)
async def test_after_a_cut_it_resumes_where_it_was(fault: Answer) -> None:
    async with following(a_list(version="10"), fault, CUT, refuses(500)) as (cache, server):
        await server.until_asked(5)
        assert cache.lists == 1
    assert "resourceVersion=20" in server.asked[-1].path


async def test_only_when_its_version_is_history_it_lists_again() -> None:
    second = a_list(a_config("b", "30"), version="30")
    async with following(a_list(a_config("a", "3"), version="10"), a_watch(GONE), second) as (
        cache,
        server,
    ):
        await server.until_asked(4)
        assert contents(cache) == {"b": {}}
        assert cache.lists == 2
    assert server.asked[2].path == "/api/v1/configmaps"  # the newest, not what is in memory
    assert "resourceVersion=30" in server.asked[3].path


async def test_a_refused_watch_can_be_history_too() -> None:
    async with following(a_list(version="10"), refuses(410), a_list(version="11")) as (
        cache,
        server,
    ):
        await server.until_asked(4)
        assert cache.lists == 2


async def test_a_cluster_restored_from_a_backup_is_believed() -> None:
    async with following(
        a_list(a_config("a", "90", x="lost"), a_config("b", "91"), version="100"),
        a_watch(GONE),
        a_list(a_config("a", "50", x="restored"), version="60"),
    ) as (cache, server):
        await server.until_asked(4)
        assert contents(cache) == {"a": {"x": "restored"}}
        cache.take(read(a_config("c", "61")))
        assert cache.get(Key("shop", "c")) is not None


async def test_a_kind_that_is_not_served_yet_is_awaited(caplog: pytest.LogCaptureFixture) -> None:
    missing = Answer(b"404 page not found", 404)
    async with following(missing, missing, a_list(version="1"), a_watch()) as (cache, server):
        await server.until_asked(5)
        assert cache.synced
    warned = [record.message for record in caplog.records if record.levelno == logging.WARNING]
    assert warned == ["ConfigMap (everything) is not served there (yet)"]


async def test_a_storage_that_is_initializing_is_awaited() -> None:
    busy = refuses(429, "storage is (re)initializing", Retry_After="1")
    async with following(busy, a_list(version="1")) as (cache, _):
        async with asyncio.timeout(10):
            await cache.wait_synced()


async def test_what_cannot_be_read_is_absent_and_said_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(version: str) -> JSON:
        item = a_config("a", version)
        return {**item, "metadata": {**item["metadata"], "labels": {"x": 1}}}

    async with following(
        a_list(a_config("a", "3"), version="10"),
        a_watch(an_event("MODIFIED", broken("11")), an_event("MODIFIED", broken("12"))),
        a_watch(GONE),
        a_list(broken("12"), version="13"),
        a_watch(an_event("MODIFIED", a_config("a", "14"))),
    ) as (cache, server):
        await server.until_asked(3)
        assert (contents(cache), cache.is_unreadable(A)) == ({}, True)
        await server.until_asked(6)
        assert (contents(cache), cache.is_unreadable(A)) == ({"a": {}}, False)
    said = [record for record in caplog.records if record.message == "unreadable object ignored"]
    assert [vars(record)["key"] for record in said] == ["shop/a"]
    assert "labels" in vars(said[0])["why"]


async def test_what_cannot_be_read_may_be_deleted() -> None:
    item = a_config("a", "11")
    item["metadata"]["labels"] = {"x": 1}
    came, went, ended = (
        an_event(kind, each)
        for kind, each in (("ADDED", item), ("DELETED", item), ("DELETED", a_config("a", "12")))
    )
    at_once = a_list(item, version="10"), a_watch(came, went)
    once_read = a_list(item, version="10"), a_watch(ended)
    unseen = a_list(item, version="10"), a_watch(GONE), a_list(version="13"), a_watch()
    for answers in (at_once, once_read, unseen):
        async with following(*answers) as (cache, server):
            await server.until_asked(len(answers) + 1)
            assert (contents(cache), cache.is_unreadable(A)) == ({}, False)


async def test_subscribers_hear_of_everything_once() -> None:
    heard: list[tuple[str | None, str | None]] = []

    def hear(old: ConfigMap | None, new: ConfigMap | None) -> None:
        heard.append((_version(old), _version(new)))

    async with following(
        a_list(a_config("a", "3"), version="10"),
        a_watch(
            an_event("MODIFIED", a_config("a", "11")),
            an_event("MODIFIED", a_config("a", "11")),
            an_event("DELETED", a_config("a", "12")),
        ),
    ) as (cache, server):
        cache.subscribe(hear)
        await server.until_asked(3)
    assert heard == [(None, "3"), ("3", "11"), ("11", None)]


def _version(item: ConfigMap | None) -> str | None:
    return item.metadata.resource_version if item else None


async def test_a_late_subscriber_hears_what_is_there() -> None:
    async with following(a_list(a_config("a", "3"), version="10")) as (cache, _):
        await cache.wait_synced()
        heard: list[ConfigMap | None] = []
        cache.subscribe(lambda old, new: heard.append(new))
        assert heard == cache.values()


async def test_a_subscriber_that_fails_does_not_stop_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    heard: list[ConfigMap | None] = []

    def fail(old: ConfigMap | None, new: ConfigMap | None) -> None:
        raise KeyError("a mistake in a mapping")

    async with following(a_list(a_config("a", "3"), version="10")) as (cache, server):
        cache.subscribe(fail)
        cache.subscribe(lambda old, new: heard.append(new))
        await server.until_asked(2)
    assert len(heard) == 1
    assert "subscriber failed" in caplog.messages


async def test_a_write_is_seen_before_the_watch_tells_it() -> None:
    async with following(a_list(a_config("a", "3"), version="10")) as (cache, server):
        await server.until_asked(2)
        cache.take(read(a_config("a", "12", x="mine")))
        assert contents(cache) == {"a": {"x": "mine"}}
        cache.take(read(a_config("a", "11", x="slower")))
        assert contents(cache) == {"a": {"x": "mine"}}


async def test_a_write_that_the_watch_has_overtaken_is_ignored() -> None:
    deleted = a_watch(an_event("DELETED", a_config("a", "12")))
    async with following(a_list(a_config("a", "3"), version="10"), deleted) as (cache, server):
        await server.until_asked(3)
        cache.take(read(a_config("a", "11", x="before its end")))
        assert contents(cache) == {}


async def test_an_old_event_does_not_undo_a_newer_write() -> None:
    async with following(
        a_list(a_config("a", "3"), version="10"),
        a_watch(an_event("DELETED", a_config("a", "11")), an_event("ADDED", a_config("b", "12"))),
    ) as (cache, server):
        await cache.wait_synced()
        cache.take(read(a_config("a", "15", x="made anew")))
        await server.until_asked(3)
        assert contents(cache) == {"a": {"x": "made anew"}, "b": {}}


async def test_objects_are_found_by_an_index() -> None:
    async with following(a_list(a_config("a", "3"), version="10")) as (cache, _):
        await cache.wait_synced()
        assert cache.by(indexes.namespace, "shop") == cache.values()
        assert len(cache) == 1


async def test_a_long_list_leaves_room_for_others() -> None:
    items = [a_config(f"c{number}", "1") for number in range(1000)]
    breaths = 0
    async with following(a_list(*items, version="10")) as (cache, _):
        while not cache.synced:
            breaths += 1
            await asyncio.sleep(0)
        assert len(cache) == 1000
    assert breaths > 5


async def test_no_kind_and_scope_is_kept_twice() -> None:
    async with scripted() as server, Cluster(server.access) as cluster:
        caches = Caches(cluster)
        assert caches.of(ConfigMap) is caches.of(ConfigMap)
        assert caches.of(ConfigMap) is not caches.of(ConfigMap, Scope("shop"))
        assert caches.of(metadata(Secret)) is caches.of(metadata(Secret))
        assert len(list(caches)) == 3


async def test_caches_follow_all_that_is_asked_for_also_later() -> None:
    empty = a_list(version="1")
    quiet = a_watch(a_bookmark("1"), stays=True)
    async with scripted(empty, quiet, empty) as server, Cluster(server.access) as cluster:
        caches = Caches(cluster)
        early = caches.of(ConfigMap)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(caches.run())
            await caches.wait_synced()
            await server.until_asked(2)
            late = caches.of(Secret)
            assert not caches.synced
            await caches.wait_synced()
            caches.release(early)
            assert list(caches) == [late]
            running.cancel()


async def test_an_answer_goes_to_the_caches_it_belongs_in() -> None:
    async with scripted() as server, Cluster(server.access) as cluster:
        caches = Caches(cluster)
        all_of_them = caches.of(ConfigMap)
        shop, bank = caches.of(ConfigMap, Scope("shop")), caches.of(ConfigMap, Scope("bank"))
        chosen = caches.of(ConfigMap, Scope(labels="app=web"))
        partial = caches.of(metadata(ConfigMap))
        caches.take(ConfigMap.KIND, a_config("a", "5", x="1"))
        caches.take(ConfigMap.KIND, {"metadata": 3})
        assert [len(each) for each in (all_of_them, shop, bank, chosen, partial)] == [1, 1, 0, 0, 1]
        marked = a_config("b", "6")
        marked["metadata"]["labels"] = {"app": "web"}
        caches.take(ConfigMap.KIND, marked)
    assert [len(each) for each in (all_of_them, shop, bank, chosen, partial)] == [2, 2, 0, 1, 2]


async def test_whoever_ends_a_subscription_is_told_no_more() -> None:
    cache = Cache(Cluster(Access("")), ConfigMap)
    told: list[str] = []
    end = cache.subscribe(lambda _, new: told.append(new.metadata.name if new else ""))
    cache.take(read(a_config("a", "1")))
    end()
    cache.take(read(a_config("b", "2")))
    assert told == ["a"]


async def believed(answers: Mapping[float, Answer]) -> tuple[list[bool], int]:
    """Of a refusal, after each answer at its moment; and how often subscribers were told of it."""
    hands, seen, told = Hands(), list[bool](), list[tuple[object, object]]()
    due = [asyncio.Event() for _ in answers]
    timed = [replace(each, when=when) for each, when in zip(answers.values(), due, strict=True)]
    async with following(a_list(version="10"), *timed, clock=hands) as (cache, server):
        cache.subscribe(lambda old, new: told.append((old, new)))
        for asked, (hands.now, when) in enumerate(zip(answers, due, strict=True), start=3):
            when.set()
            await server.until_asked(asked)
            seen.append(cache.refused)
    return seen, told.count((None, None))


async def test_that_we_may_not_follow_any_more_is_believed_when_it_lasts_and_until_we_may() -> None:
    forbidden = dict.fromkeys((100.0, 100.0 + REFUSAL - 0.1, 100.0 + REFUSAL, 107.0), refuses(403))
    again = {108.0: a_watch(a_bookmark("11"))}
    assert await believed(forbidden | again) == ([False, False, True, True, False], 1)


@pytest.mark.parametrize("between", [refuses(500), a_watch(a_bookmark("11"))])
async def test_an_api_server_that_starts_forbids_all_for_a_moment_and_is_not_believed(
    between: Answer,
) -> None:
    """Once it answers otherwise, the next refusal is a new one."""
    answers = {100.0: refuses(403), 101.0: between, 100.0 + REFUSAL: refuses(403)}
    assert await believed(answers) == ([False, False, False], 0)


async def test_who_may_not_look_at_once_keeps_nobody_waiting() -> None:
    async with following(refuses(403)) as (cache, server):
        await server.until_asked(2)
        assert (cache.settled, cache.forbidden, cache.refused) == (True, True, False)


async def test_that_nobody_knows_us_any_more_is_known_until_somebody_does() -> None:
    first, again = a_list(version="10"), a_watch(a_bookmark("11"))
    async with following(first, refuses(401), again) as (cache, server):
        seen = []
        for times in (2, 3, 4):
            await server.until_asked(times)
            seen.append((cache.unrecognized, cache.refused))
    assert seen == [(False, False), (True, False), (False, False)]


async def test_a_new_watch_can_be_asked_for() -> None:
    """It goes on where the old one was."""
    first, open_end = a_list(version="10"), a_watch(a_bookmark("11"), stays=True)
    async with (
        scripted(first, open_end, open_end) as server,
        Cluster(server.access, name="rome") as cluster,
        asyncio.TaskGroup() as group,
    ):
        caches = Caches(cluster)
        caches.of(ConfigMap)
        running = group.create_task(caches.run())
        await server.until_asked(2)
        await caches.wait_synced()
        caches.reconnect()
        await server.until_asked(3)
        running.cancel()
    assert "watch=true" in server.asked[2].path
