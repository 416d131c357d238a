"""One kind in namespaces that come and go: what is told, when it is complete, what is asked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from liqo.api.kubernetes import ConfigMap, Namespace
from liqo.api.meta import JSON, Key, Resource
from liqo.kube.cache import REFUSAL, Cache, Caches
from liqo.kube.cluster import Cluster
from liqo.kube.copy import Copy
from liqo.kube.indexes import namespace
from liqo.kube.namespaced import Namespaced, Namespaces
from liqo.kube.paths import EVERYTHING, Scope
from tests.unit.kube.scripted import (
    Answer,
    Hands,
    Scripted,
    a_bookmark,
    a_list,
    a_watch,
    an_event,
    refuses,
    scripted,
)

OF_PEERS = Scope(labels="liqo.io/remote-cluster-id")
FORBIDDEN = refuses(403, reason="Forbidden")
QUIET = a_watch(a_bookmark("10"), stays=True)


def named(name: str, version: str = "3", **labels: str) -> JSON:
    return {"metadata": {"name": name, "resourceVersion": version, "labels": labels}}


def a_config(name: str, version: str = "3") -> JSON:
    return {"metadata": {"name": name, "namespace": "shop", "resourceVersion": version}}


def read(item: JSON) -> ConfigMap:
    return msgspec.json.decode(msgspec.json.encode(item), type=ConfigMap)


@dataclass
class Town:
    """Its namespaces are named in one cluster and looked into in another."""

    source: Cache[Namespace]
    caches: Caches
    copy: Namespaced[ConfigMap]
    naming: Scripted
    asked: Scripted
    told: list[tuple[str | None, str | None]] = field(default_factory=list)

    def hear(self, old: ConfigMap | None, new: ConfigMap | None) -> None:
        self.told.append((_version(old), _version(new)))

    def paths(self) -> list[str]:
        return [asked.path.split("?")[0] for asked in self.asked.asked]


def _version(item: ConfigMap | None) -> str | None:
    return item.metadata.resource_version if item else None


async def until(copy: Copy[Any], holds: int) -> None:
    changed = asyncio.Event()
    copy.subscribe(lambda old, new: changed.set())
    while len(copy) != holds:
        await changed.wait()
        changed.clear()


def as_labelled(thing: Resource) -> Iterable[str]:
    return thing.metadata.labels.values()


@asynccontextmanager
async def a_town(
    naming: Iterable[Answer],
    *answers: Answer,
    scope: Scope = OF_PEERS,
    clock: Callable[[], float] = time.monotonic,
) -> AsyncIterator[Town]:
    async with (
        scripted(*naming) as names,
        scripted(*answers) as server,
        Cluster(names.access) as here,
        Cluster(server.access, name="milan") as there,
        asyncio.TaskGroup() as group,
    ):
        source, caches = Caches(here).of(Namespace), Caches(there, clock)
        copy = caches.within(Namespaces(source, as_labelled), ConfigMap, scope)
        town = Town(source, caches, copy, names, server)
        copy.subscribe(town.hear)
        running = [group.create_task(source.run()), group.create_task(caches.run())]
        try:
            async with asyncio.timeout(20):
                yield town
        finally:
            for task in running:
                task.cancel()


def then(*events: JSON, when: asyncio.Event) -> Answer:
    return replace(a_watch(*events, stays=True), when=when)


ONE = a_list(named("rome", at="shop"), version="5")


async def test_without_namespaces_nothing_is_asked_and_all_is_known() -> None:
    async with a_town([a_list(version="5"), QUIET]) as town:
        await town.caches.wait_synced()
        assert town.copy.synced
        assert town.copy.age() < 10
        assert town.copy.age_of(Key("shop", "a")) == float("inf")
        assert not town.copy.covers(Key("shop", "a"))
    assert town.paths() == []


async def test_until_it_is_known_which_namespaces_there_are_it_is_not_synced() -> None:
    async with a_town([]) as town:
        await town.naming.until_asked(1)
        assert not town.copy.synced
        assert town.copy.age() == float("inf")


async def test_a_namespace_is_listed_once_and_then_followed() -> None:
    listed, changes = a_list(a_config("a"), version="7"), an_event("MODIFIED", a_config("a", "8"))
    async with a_town([ONE, QUIET], listed, a_watch(changes), QUIET) as town:
        await town.copy.wait_synced()
        assert town.copy.get(Key("shop", "a")) is not None
        await town.asked.until_asked(3)
        assert town.copy.by(namespace, "shop") == town.copy.values()
    assert town.told == [(None, "3"), ("3", "8")]
    assert town.paths() == ["/api/v1/namespaces/shop/configmaps"] * 3
    assert "labelSelector=liqo.io%2Fremote-cluster-id" in town.asked.asked[0].path


async def test_what_was_in_a_namespace_that_leaves_is_told_as_removed() -> None:
    leave = asyncio.Event()
    leaves = then(an_event("DELETED", named("rome", "6", at="shop")), when=leave)
    async with a_town([ONE, leaves], a_list(a_config("a"), version="7"), QUIET) as town:
        await town.asked.until_asked(2)
        leave.set()
        await until(town.copy, holds=0)
        assert town.copy.by(namespace, "shop") == []
        assert town.copy.synced
        town.copy.take(read(a_config("a", "99")))
        assert len(town.copy) == 0
    assert town.told == [(None, "3"), ("3", None)]


async def test_a_namespace_that_is_named_twice_leaves_with_the_last_name() -> None:
    leave, late = asyncio.Event(), asyncio.Event()
    both = a_list(named("rome", at="shop"), named("florence", at="shop"), version="5")
    first = then(an_event("MODIFIED", named("rome", "6")), when=leave)
    first = replace(first, stays=False)
    second = then(an_event("MODIFIED", named("florence", "7")), when=late)
    async with a_town([both, first, second], a_list(a_config("a"), version="7"), QUIET) as town:
        await town.asked.until_asked(2)
        leave.set()
        await town.naming.until_asked(3)
        assert len(town.copy) == 1
        late.set()
        await until(town.copy, holds=0)
    assert len(town.paths()) == 2


async def test_a_namespace_that_comes_again_is_listed_anew() -> None:
    turn = asyncio.Event()
    again = then(
        an_event("DELETED", named("rome", "6", at="shop")),
        an_event("ADDED", named("rome", "7", at="shop")),
        when=turn,
    )
    listed = a_list(a_config("a"), version="7")
    async with a_town([ONE, again], listed, QUIET, listed, QUIET) as town:
        await town.asked.until_asked(2)
        turn.set()
        await town.asked.until_asked(4)
        assert len(town.copy) == 1
    assert town.told == [(None, "3"), ("3", None), (None, "3")]
    assert ["watch=true" in asked.path for asked in town.asked.asked] == [False, True] * 2


async def test_one_that_is_forbidden_keeps_nobody_waiting_and_is_tried_again() -> None:
    later, allowed, hands = asyncio.Event(), asyncio.Event(), Hands()
    still = replace(FORBIDDEN, when=later)
    listed = replace(a_list(a_config("a"), version="7"), when=allowed)
    async with a_town([ONE, QUIET], FORBIDDEN, still, listed, QUIET, clock=hands) as town:
        await town.copy.wait_synced()
        await town.asked.until_asked(2)
        assert town.copy.synced
        assert town.copy.forbidden
        assert town.copy.age_of(Key("shop", "a")) == float("inf")
        believed = [town.copy.refused]  # not yet: it may be the API server that starts
        assert town.copy.age() < 10  # of what we may read
        hands.now = REFUSAL
        later.set()
        await town.asked.until_asked(3)
        assert [*believed, town.copy.refused] == [False, True]
        assert town.copy.age() < 10
        assert not town.copy.covers(Key("shop", "a"))
        allowed.set()
        await until(town.copy, holds=1)
        assert not town.copy.refused


async def test_it_is_told_when_all_of_a_namespace_is_known_and_not_before() -> None:
    allowed, leave = asyncio.Event(), asyncio.Event()
    leaves = then(an_event("DELETED", named("rome", "6", at="shop")), when=leave)
    listed = replace(a_list(a_config("a"), version="7"), when=allowed)
    told: asyncio.Queue[tuple[str | None, bool]] = asyncio.Queue()
    async with a_town([ONE, leaves], FORBIDDEN, listed, QUIET, scope=EVERYTHING) as town:
        copy = town.copy
        copy.arrivals.subscribe(
            lambda _, name: told.put_nowait((name, copy.covers(Key("shop", "b"))))
        )
        await town.asked.until_asked(2)
        assert told.empty()
        allowed.set()
        assert await told.get() == ("shop", True)
        assert copy.arrivals.values() == ["shop"]
        leave.set()
        await until(copy, holds=0)
        assert copy.arrivals.values() == []


async def test_one_that_fails_otherwise_is_waited_for() -> None:
    broken = refuses(500)
    async with a_town([ONE, QUIET], broken) as town:
        await town.asked.until_asked(2)
        assert not town.copy.synced


async def test_who_leaves_before_it_was_listed_keeps_nobody_waiting() -> None:
    leave = asyncio.Event()
    leaves = then(an_event("DELETED", named("rome", "6", at="shop")), when=leave)
    async with a_town([ONE, leaves]) as town:
        await town.asked.until_asked(1)
        assert not town.caches.synced
        leave.set()
        await town.caches.wait_synced()


async def test_who_waits_does_not_wait_for_those_that_enter_meanwhile() -> None:
    first, enter, second = asyncio.Event(), asyncio.Event(), asyncio.Event()
    enters = then(an_event("ADDED", named("turin", "6", at="bank")), when=enter)
    listed = replace(a_list(a_config("a"), version="7"), when=first)
    later = replace(a_list(version="8"), when=second)
    async with (
        a_town([ONE, enters], listed, later, QUIET, QUIET) as town,
        asyncio.TaskGroup() as group,
    ):
        await town.asked.until_asked(1)
        waiting = group.create_task(town.copy.wait_synced())
        await asyncio.sleep(0)
        enter.set()
        await town.asked.until_asked(2)
        assert not waiting.done()
        first.set()
        await waiting
        assert not town.copy.synced
        second.set()
        await town.copy.wait_synced()
        assert town.copy.synced


async def test_an_answer_of_a_write_goes_to_the_namespace_it_is_of() -> None:
    async with a_town([ONE, QUIET], a_list(version="7"), QUIET, scope=EVERYTHING) as town:
        await town.copy.wait_synced()
        elsewhere = {"metadata": {**a_config("a", "9")["metadata"], "namespace": "bank"}}
        town.caches.take(ConfigMap.KIND, elsewhere)
        assert len(town.copy) == 0
        town.caches.take(ConfigMap.KIND, a_config("a", "9"))
        assert town.copy.get(Key("shop", "a")) is not None
        assert town.copy.covers(Key("shop", "b"))


async def test_with_a_selector_only_the_watch_tells_of_new_ones() -> None:
    async with a_town([ONE, QUIET], a_list(a_config("a"), version="7"), QUIET) as town:
        await town.copy.wait_synced()
        town.caches.take(ConfigMap.KIND, a_config("b", "9"))
        town.caches.take(ConfigMap.KIND, a_config("a", "9"))
        assert [_version(each) for each in town.copy] == ["9"]


async def test_new_watches_can_be_asked_for() -> None:
    async with a_town([ONE, QUIET], a_list(version="7"), QUIET, QUIET) as town:
        await town.asked.until_asked(2)
        town.caches.reconnect()
        await town.asked.until_asked(3)
    assert "watch=true" in town.asked.asked[2].path


async def test_whoever_is_released_no_longer_hears_of_namespaces() -> None:
    enter = asyncio.Event()
    late = then(an_event("ADDED", named("rome", at="shop")), when=enter)
    async with a_town([a_list(version="2"), late]) as town:
        await town.copy.wait_synced()
        town.caches.release(town.copy)
        assert list(town.caches) == []
        enter.set()
        await until(town.source, holds=1)
    assert town.paths() == []


async def test_the_same_kind_in_the_same_namespaces_is_kept_once() -> None:
    async with a_town([]) as town:
        namespaces = Namespaces(town.source, as_labelled)
        assert town.caches.within(namespaces, ConfigMap, OF_PEERS) is town.copy
        assert town.caches.within(namespaces, ConfigMap) is not town.copy
        assert str(town.copy) == (
            "ConfigMap (liqo.io/remote-cluster-id) in each Namespace (everything)"
        )
