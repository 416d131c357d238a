"""Remote clusters come and go while a program runs, and none of them touches another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from structlog.testing import capture_logs

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import Key, Meta
from liqo.kube.access import Access, Material, User
from liqo.kube.cache import Cache, Caches
from liqo.kube.cluster import Cluster
from liqo.runtime.controller import Controller, itself
from liqo.runtime.metrics import Metrics
from liqo.runtime.plan import NOTHING, Delete, Plan, do
from liqo.runtime.remotes import Checking, Remote, Remotes, Unusable, is_alive, is_same
from tests.unit.kube.scripted import Scripted, a_config, a_list, a_watch, refuses, says, scripted

MILAN, NAPLES = Key("", "milan"), Key("", "naples")
SELDOM = Checking(every=3600.0, first=3600.0)  # never, while a test lasts
NOBODY = Access("http://127.0.0.1:1")
TARGET = ConfigMap(metadata=Meta(name="a", namespace="shop", uid="1"))


class Wish:
    """What is wanted, and the cache whose changes say that it has changed."""

    def __init__(self) -> None:
        self.wanted: dict[Key, Remote | Unusable] = {}
        self.source: Cache[ConfigMap] = Cache(Cluster(NOBODY), ConfigMap)
        self._version = 0

    def change(self, **wanted: Remote | Unusable) -> None:
        self.wanted = {Key("", name): remote for name, remote in wanted.items()}
        self._version += 1
        metadata = Meta(name="any", resource_version=str(self._version))
        self.source.take(ConfigMap(metadata=metadata))


@asynccontextmanager
async def running(wish: Wish, checking: Checking = SELDOM) -> AsyncIterator[Remotes]:
    remotes = Remotes(Caches(Cluster(NOBODY)), wish.source, lambda: wish.wanted, checking)
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(remotes.run(Metrics()))
        try:
            yield remotes
        finally:
            task.cancel()


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not is_so():  # noqa: ASYNC110 - what is waited for tells nobody
            await asyncio.sleep(0)


def a_remote(server: Scripted, seen: list[Key], plan: Plan = NOTHING) -> Remote:
    def controllers(there: Caches) -> Sequence[Controller[Any]]:
        def observe(key: Key) -> Key:
            seen.append(key)
            return key

        return [Controller("test", {there.of(ConfigMap): itself}, observe, lambda state: plan)]

    return Remote("milan", server.access, "there", controllers)


def following(*names: str) -> Any:
    """A server with these objects, that then has no news."""
    items = [a_config(name, "5") for name in names]
    return scripted(a_list(*items, version="5"), a_watch(stays=True))


async def test_a_remote_is_worked_with_while_it_is_wanted() -> None:
    seen: list[Key] = []
    wish = Wish()
    async with following("a") as server, running(wish):
        with capture_logs() as logs:
            wish.change(milan=a_remote(server, seen))
            await until(lambda: Key("shop", "a") in seen)
            wish.change()
            await until(lambda: len(logs) == 2)
    assert [entry["event"] for entry in logs] == ["remote started", "remote ended"]


async def test_what_is_wanted_from_the_start_is_started() -> None:
    seen: list[Key] = []
    wish = Wish()
    async with following("a") as server:
        wish.change(milan=a_remote(server, seen))
        async with running(wish):
            await until(lambda: bool(seen))


async def test_r26_new_credentials_are_swapped_in_place() -> None:
    """Nothing is listed again: what is followed is followed on, by who we are now."""
    wish = Wish()
    caches: list[Caches] = []

    def controllers(there: Caches) -> Sequence[Controller[Any]]:
        caches.append(there)
        return [
            Controller("test", {there.of(ConfigMap): itself}, lambda _: None, lambda _: NOTHING)
        ]

    async with following("a") as server, running(wish):
        remote = Remote("milan", server.access, "there", controllers)
        wish.change(milan=replace(remote, access=with_token(remote.access, "old")))
        await server.until_asked(2)
        wish.change(milan=replace(remote, access=with_token(remote.access, "new")))
        await asyncio.sleep(0)
        caches[0].reconnect()
        await server.until_asked(3)
    assert len(caches) == 1
    assert "watch=true" in server.asked[2].path
    assert "resourceVersion=5" in server.asked[2].path
    tokens = [asked.headers["authorization"] for asked in server.asked]
    assert tokens == ["Bearer old", "Bearer old", "Bearer new"]


def with_token(access: Access, token: str) -> Access:
    return replace(access, user=User(token=Material(data=token)))


def test_another_server_or_place_is_another_remote() -> None:
    remote = Remote("milan", NOBODY, "there", lambda there: ())
    assert is_same(remote, replace(remote, access=with_token(NOBODY, "new")))
    assert not is_same(remote, replace(remote, access=Access("http://127.0.0.1:2")))
    assert not is_same(remote, replace(remote, place="elsewhere"))


async def test_a_remote_that_moved_starts_anew() -> None:
    wish, seen = Wish(), list[Key]()
    async with following("a") as old, following("b") as moved, running(wish):
        wish.change(milan=a_remote(old, seen))
        await until(lambda: Key("shop", "a") in seen)
        wish.change(milan=a_remote(moved, seen))
        await until(lambda: Key("shop", "b") in seen)


async def test_a_dead_or_broken_remote_holds_up_no_other() -> None:
    wish, seen = Wish(), list[Key]()

    def broken(there: Caches) -> Sequence[Controller[Any]]:
        raise RuntimeError("a mistake of ours")

    async with following("a") as server, running(wish):
        with capture_logs() as logs:
            wish.change(
                naples=Remote("naples", NOBODY, "there", broken),
                genoa=a_remote(Scripted(), []),
                milan=a_remote(server, seen),
            )
            await until(lambda: bool(seen))
            await until(lambda: any(entry["event"] == "remote failed" for entry in logs))


async def test_what_cannot_be_used_is_said_once_and_what_we_have_serves_on() -> None:
    wish, seen = Wish(), list[Key]()
    async with following("a") as server, running(wish):
        with capture_logs() as logs:
            wish.change(milan=a_remote(server, seen))
            await until(lambda: bool(seen))
            wish.change(milan="is no kubeconfig")
            wish.change(milan="is no kubeconfig")
            await until(lambda: len(logs) > 1)
            await asyncio.sleep(0)
    assert [entry["event"] for entry in logs] == ["remote started", "remote cannot be used"]


async def test_R12_others_are_told_signs_of_life_as_a_value() -> None:
    wish = Wish()
    async with scripted(says("ok")) as server, running(wish, Checking(first=0)) as remotes:
        assert remotes.alive("milan") is None
        wish.change(milan=Remote("milan", server.access, "there", lambda there: ()))
        await until(lambda: remotes.alive("milan") is True)
        assert [asked.path for asked in server.asked] == ["/livez"]
        wish.change()
        await until(lambda: remotes.alive("milan") is None)


async def test_without_checks_a_remote_counts_as_alive() -> None:
    wish = Wish()
    async with running(wish, Checking(every=0)) as remotes:
        wish.change(milan=Remote("milan", NOBODY, "there", lambda there: ()))
        await until(lambda: remotes.alive("milan") is True)


async def test_who_refuses_or_is_silent_is_not_alive() -> None:
    async with scripted(refuses(401)) as server, Cluster(server.access) as cluster:
        assert not await is_alive(cluster, within=5)
        assert not await is_alive(cluster, within=0.01)


async def test_r6_when_a_write_is_forbidden_the_rights_are_looked_at_again() -> None:
    """The open watch would go on for minutes; a new one is refused, and soon believed."""
    wish, seen = Wish(), list[Key]()
    first = a_list(a_config("a", "5"), version="5")
    forbidden = partial(refuses, 403, reason="Forbidden")
    answers = (first, a_watch(stays=True), *(forbidden() for _ in range(9)))
    async with scripted(*answers) as server, running(wish):
        wish.change(milan=a_remote(server, seen, do(Delete(TARGET, on="remote"))))
        await until(lambda: sum("watch=true" in asked.path for asked in server.asked) > 1)


async def test_what_a_webhook_refuses_says_nothing_about_our_rights() -> None:
    wish, seen = Wish(), list[Key]()
    first = a_list(a_config("a", "5"), version="5")
    no = refuses(403, 'admission webhook "x.liqo.io" denied the request: no', reason="Forbidden")
    async with scripted(first, a_watch(stays=True), no, no, no) as server, running(wish):
        wish.change(milan=a_remote(server, seen, do(Delete(TARGET, on="remote"))))
        await until(lambda: [asked.method for asked in server.asked].count("DELETE") == 3)
    assert sum("watch=true" in asked.path for asked in server.asked) == 1


async def test_what_is_under_way_when_we_end_is_finished_and_nothing_new_begins() -> None:
    seen: list[Key] = []
    wish, answered = Wish(), asyncio.Event()
    listed = a_list(a_config("a", "5"), version="5")
    deleted = replace(says({"kind": "Status"}), when=answered)
    async with (
        scripted(listed, a_watch(stays=True), deleted) as server,
        running(wish) as remotes,
        asyncio.TaskGroup() as tasks,
    ):
        milan = a_remote(server, seen, do(Delete(TARGET, on="remote")))
        wish.change(milan=milan)
        await server.until_asked(3)
        assert [desk.name for desk in remotes.desks()] == ["test"]
        finishing = tasks.create_task(remotes.finish(within=10))
        await asyncio.sleep(0)
        wish.change(milan=milan, naples=milan)
        await asyncio.sleep(0)
        assert not finishing.done()
        answered.set()
        await finishing
        assert len(remotes.desks()) == 1
    assert [asked.method for asked in server.asked] == ["GET", "GET", "DELETE"]


async def test_who_does_not_answer_is_not_waited_for_beyond_that() -> None:
    seen: list[Key] = []
    wish = Wish()
    async with following("a") as server, running(wish) as remotes:
        wish.change(milan=a_remote(server, seen, do(Delete(TARGET, on="remote"))))
        await server.until_asked(3)
        await remotes.finish(within=0.01)
        assert remotes.desks()[0].queue.depth == 0
