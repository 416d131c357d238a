"""Work that several programs share: when it is ours, when it is another's, and how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from structlog.testing import capture_logs

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import Key
from liqo.kube.access import Access
from liqo.kube.cache import Cache, Caches
from liqo.kube.cluster import Cluster
from liqo.runtime.controller import Controller, Desk, itself
from liqo.runtime.leader import Candidacy, Leader
from liqo.runtime.metrics import Metrics
from liqo.runtime.pace import IMPATIENT
from liqo.runtime.plan import NOTHING, Plan
from liqo.runtime.program import Program, run
from liqo.runtime.turns import Silence, Turns, taking_turns
from tests.unit.kube.scripted import Answer, Scripted, a_config, a_list, a_watch, refuses, scripted
from tests.unit.runtime.test_leader import Hand, a_lease

QUICK = 1.5  # seconds: renewed every half
LEASE = Key("liqo", "reflection")


def nothing(_: ConfigMap) -> Plan:
    return NOTHING


def a_controller(cache: Cache[ConfigMap]) -> Controller[ConfigMap]:
    return Controller("tests/shared", {cache: itself}, cache.get, nothing)


@dataclass
class Office:
    turns: Turns
    server: Scripted
    begun: asyncio.Queue[Desk] = field(default_factory=asyncio.Queue)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def operate(self, desk: Desk) -> None:
        await self.begun.put(desk)
        async for key in desk.queue:
            desk.queue.done(key)


@asynccontextmanager
async def an_office(*answers: Answer) -> AsyncIterator[Office]:
    cache = Caches(Cluster(Access("http://rome.invalid"))).of(ConfigMap)
    async with scripted(*answers) as server, Cluster(server.access, limits=IMPATIENT) as cluster:
        leader = Leader(cluster, Candidacy(LEASE, "rome", QUICK), clock=Hand().clock, alarm=Hand())
        office = Office(Turns(leader, [a_controller(cache)]), server)
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(office.turns.run(Metrics(), office.operate))
            running.add_done_callback(lambda _: office.ended.set())
            yield office
            running.cancel()


async def test_it_is_released_when_we_go() -> None:
    answers = (refuses(404), a_lease("rome", "1"), a_lease("", "2"))
    async with an_office(*answers) as office:
        await office.begun.get()
        assert [desk.name for desk in office.turns.desks] == ["tests/shared"]
    assert b'"holderIdentity":""' in office.server.asked[2].body
    assert office.turns.desks == []


async def test_who_loses_it_stops_and_begins_anew_when_it_is_free_again() -> None:
    answers = (
        *(refuses(404), a_lease("rome", "1")),
        *(refuses(409), a_lease("milan", "2")),
        *(a_lease("", "3"), a_lease("rome", "4"), a_lease("", "5")),
    )
    with capture_logs() as logs:
        async with an_office(*answers) as office:
            first = await office.begun.get()
            second = await office.begun.get()
            assert office.turns.desks == [second]
            assert first is not second
    assert [log["why"] for log in logs if log["event"] == "turn lost"] == [
        "the lease liqo/reflection went to milan"
    ]


async def test_who_loses_it_while_the_program_ends_does_not_wait_for_the_next() -> None:
    answers = (refuses(404), a_lease("rome", "1"), refuses(409), a_lease("milan", "2"))
    async with asyncio.timeout(20), an_office(*answers) as office:
        await office.begun.get()
        office.turns.over = True
        await office.ended.wait()


async def test_what_is_under_way_is_finished_first() -> None:
    async with an_office(refuses(404), a_lease("rome", "1"), a_lease("", "2")) as office:
        await office.turns.finish(0.1)  # nothing has begun
        desk = await office.begun.get()
        await office.turns.finish(5)
        desk.queue.add(Key("shop", "late"))
        assert desk.queue.is_quiet


async def test_a_program_works_at_what_it_shares_while_it_is_its_turn() -> None:
    stop = asyncio.Event()
    reconciled: list[Key] = []

    def plan(state: ConfigMap) -> Plan:
        reconciled.append(state.key)
        stop.set()
        return NOTHING

    followed = (a_list(a_config("a", "3"), version="5"), a_watch(stays=True))
    election = (refuses(404), a_lease("rome", "1"), a_lease("", "2"))
    async with (
        scripted(*followed) as server,
        scripted(*election) as electing,
        Cluster(server.access, name="rome") as cluster,
        Cluster(electing.access, limits=IMPATIENT) as polls,
    ):
        caches = Caches(cluster)
        cache = caches.of(ConfigMap)
        shared = Controller("tests/shared", {cache: itself}, cache.get, plan)
        turns = taking_turns(polls, Candidacy(LEASE, "rome"), [shared])
        program = Program({"local": caches}, [], turns=turns)
        await run(program, stop)
    assert reconciled == [Key("shop", "a")]
    assert b'"holderIdentity":""' in electing.asked[2].body


def test_nobody_dies_with_such_a_lease() -> None:
    Silence().ring_in(0)
    Silence().turn_off()
