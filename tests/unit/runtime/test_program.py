"""A program from its start to its end."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field

from structlog.testing import capture_logs

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import Key
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Unreachable
from liqo.kube.paths import Scope
from liqo.runtime.controller import Controller, itself
from liqo.runtime.leader import Candidacy, Leader
from liqo.runtime.pace import IMPATIENT
from liqo.runtime.plan import NOTHING, Plan
from liqo.runtime.program import FINISHING, Program, missing, run, stopped_by_signal
from tests.unit.kube.scripted import (
    Answer,
    Asked,
    Scripted,
    a_config,
    a_list,
    a_watch,
    refuses,
    scripted,
    serving,
)
from tests.unit.runtime.test_leader import Hand, a_lease

MANY = 10
FOLLOWED = (a_list(a_config("a", "3"), version="5"), a_watch(stays=True))


async def test_controllers_work_once_their_caches_are_synced_until_told_to_stop() -> None:
    stop = asyncio.Event()
    reconciled: list[Key] = []

    def plan(state: ConfigMap) -> Plan:
        reconciled.append(state.key)
        stop.set()
        return NOTHING

    async with scripted(*FOLLOWED) as server, Cluster(server.access, name="rome") as cluster:
        caches = Caches(cluster)
        controller = Controller(
            "tests/a", {caches.of(ConfigMap): itself}, caches.of(ConfigMap).get, plan
        )
        program = Program({"local": caches}, [controller], health_port=0)
        await run(program, stop)
        text = program.metrics.text().decode()
    assert reconciled == [Key("shop", "a")]
    assert 'liqo_cache_age_seconds{cache="rome: ConfigMap (everything)"}' in text


async def test_a_provider_that_does_not_answer_stops_only_those_who_watch_it() -> None:
    stop = asyncio.Event()

    def stopping(_: ConfigMap) -> Plan:
        stop.set()
        return NOTHING

    def failing(_: ConfigMap) -> Plan:
        raise AssertionError("its caches are not synced")

    async with (
        scripted(*FOLLOWED) as server,
        scripted() as silent,
        Cluster(server.access, name="rome") as rome,
        Cluster(silent.access, name="milan") as milan,
    ):
        here, there = Caches(rome), Caches(milan)
        near, far = here.of(ConfigMap), there.of(ConfigMap)
        controllers = [
            Controller("tests/near", {near: itself}, near.get, stopping),
            Controller("tests/far", {near: itself, far: itself}, near.get, failing),
        ]
        async with asyncio.timeout(FINISHING):
            await run(Program({"local": here, "remote": there}, controllers), stop)


class Reluctant(Scripted):
    """Says nothing about the bank."""

    def answer(self, asked: Asked) -> Answer:
        if "/bank/" in asked.path:
            return refuses(403)
        return a_watch(stays=True) if "watch" in asked.path else FOLLOWED[0]


async def test_what_may_come_later_stops_only_those_who_watch_it() -> None:
    stop = asyncio.Event()

    def stopping(_: ConfigMap) -> Plan:
        stop.set()
        return NOTHING

    def failing(_: ConfigMap) -> Plan:
        raise AssertionError("what it watches is not synced")

    async with serving(Reluctant()) as server, Cluster(server.access, name="rome") as cluster:
        here = Caches(cluster)
        known, unknown = here.of(ConfigMap), here.later(ConfigMap, Scope("bank"))
        controllers = [
            Controller("tests/both", {known: itself, unknown: itself}, known.get, failing),
            Controller("tests/one", {known: itself}, known.get, stopping),
        ]
        async with asyncio.timeout(FINISHING):
            await run(Program({"local": here}, controllers), stop)


async def test_a_program_may_be_stopped_before_it_is_ready() -> None:
    stop = asyncio.Event()
    async with (
        scripted() as server,
        Cluster(server.access) as cluster,
        asyncio.TaskGroup() as tasks,
    ):
        caches = Caches(cluster)
        caches.of(ConfigMap)
        tasks.create_task(run(Program({"local": caches}, []), stop))
        await server.until_asked(1)
        stop.set()


async def test_who_does_not_lead_gathers_no_work() -> None:
    """What came and went before its turn would be worked through in it."""
    stop = asyncio.Event()
    async with (
        scripted(*FOLLOWED) as server,
        scripted(a_lease("milan")) as electing,
        Cluster(server.access, name="rome") as cluster,
        Cluster(electing.access, limits=IMPATIENT) as polls,
    ):
        caches = Caches(cluster)
        cache = caches.of(ConfigMap)
        controller = Controller("tests/a", {cache: itself}, cache.get, lambda _: NOTHING)
        leader = Leader(polls, Candidacy(Key("liqo", "a"), "rome"))
        program = Program({"local": caches}, [controller], leader)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(run(program, stop))
            await electing.until_asked(1)
            assert len(cache) == 1
            text = program.metrics.text().decode()
            stop.set()
    assert 'liqo_queue_depth{controller="tests/a"} 0.0' in text


async def test_who_waits_for_a_provider_gathers_no_work() -> None:
    stop = asyncio.Event()
    async with (
        scripted(*FOLLOWED) as server,
        scripted() as silent,
        Cluster(server.access, name="rome") as rome,
        Cluster(silent.access, name="milan") as milan,
    ):
        here, there = Caches(rome), Caches(milan)
        near, far = here.of(ConfigMap), there.of(ConfigMap)
        waiting = Controller("tests/far", {near: itself, far: itself}, near.get, lambda _: NOTHING)
        program = Program({"local": here, "remote": there}, [waiting])
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(run(program, stop))
            await silent.until_asked(1)
            await near.wait_synced()
            text = program.metrics.text().decode()
            stop.set()
    assert 'liqo_queue_depth{controller="tests/far"} 0.0' in text


@dataclass
class StopsAtOnce(Hand):
    """Tells the program to stop as soon as it leads."""

    stop: asyncio.Event = field(default_factory=asyncio.Event)

    def ring_in(self, seconds: float) -> None:
        self.stop.set()


async def test_a_leader_lets_go_of_its_lease_when_it_is_told_to_stop() -> None:
    answers = (refuses(404), a_lease("rome", "1"), a_lease("", "2"))
    hand = StopsAtOnce()
    async with scripted(*answers) as server, Cluster(server.access, limits=IMPATIENT) as cluster:
        leader = Leader(cluster, Candidacy(Key("liqo", "a"), "rome"), alarm=hand)
        program = Program({}, [], leader)
        await run(program, hand.stop)
        assert b'"holderIdentity":""' in server.asked[2].body
        assert "liqo_leading 0.0" in program.metrics.text().decode()


async def test_a_program_that_lost_its_lease_ends() -> None:
    answers = (refuses(404), a_lease("rome"), refuses(409), a_lease("milan"))
    async with scripted(*answers) as server, Cluster(server.access, limits=IMPATIENT) as cluster:
        candidacy = Candidacy(Key("liqo", "a"), "rome", duration=1.5)
        hand = Hand()
        leader = Leader(cluster, candidacy, clock=hand.clock, alarm=hand)
        with capture_logs() as logs:
            await run(Program({}, [], leader), asyncio.Event())
    assert logs[-1]["event"] == "lease lost"
    assert logs[-1]["why"] == "the lease liqo/a went to milan"


async def test_sigterm_stops_a_program() -> None:
    stop = stopped_by_signal()
    os.kill(os.getpid(), signal.SIGTERM)
    async with asyncio.timeout(5):
        await stop.wait()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().remove_signal_handler(number)


async def test_a_program_may_lack_more_than_its_caches_to_be_ready() -> None:
    async with scripted(*FOLLOWED) as server, Cluster(server.access, name="rome") as cluster:
        caches = Caches(cluster)
        caches.of(ConfigMap)
        program = Program({"local": caches}, [], missing=lambda: ["a certificate"])
        assert missing(program) == ["rome: ConfigMap (everything)", "a certificate"]


async def test_what_failed_is_tried_at_once_when_who_did_not_answer_does_again() -> None:
    stop = asyncio.Event()
    tries: list[Key] = []
    heal: list[Callable[[], None]] = []

    def plan(state: ConfigMap) -> Plan:
        tries.append(state.key)
        if len(tries) > MANY:  # in a minute, if nobody hurried
            stop.set()
        raise Unreachable("milan: no answer")

    async def healing() -> None:
        while not stop.is_set():
            heal[0]()
            await asyncio.sleep(0)

    async with scripted(*FOLLOWED) as server, Cluster(server.access, name="rome") as cluster:
        caches = Caches(cluster)
        controller = Controller(
            "tests/a", {caches.of(ConfigMap): itself}, caches.of(ConfigMap).get, plan
        )
        program = Program(
            {"local": caches}, [controller], on_recovery=heal.append, beside=(healing,)
        )
        async with asyncio.timeout(10):
            await run(program, stop)
    assert len(tries) > MANY
