"""How a candidate becomes leader, stays it, and ceases to be it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import msgspec
import pytest
from structlog.testing import capture_logs

from liqo.api.meta import JSON, Key
from liqo.kube.cluster import Cluster
from liqo.runtime.errors import LeaseLost
from liqo.runtime.leader import Candidacy, Leader
from liqo.runtime.pace import IMPATIENT
from tests.unit.kube.scripted import CUT, Answer, Scripted, refuses, says, scripted

DURATION = 15.0
QUICK = 0.03  # seconds: of a candidate that looks again at once
PATH = "/apis/coordination.k8s.io/v1/namespaces/liqo/leases"


@dataclass
class Hand:
    """A clock and an alarm in the hand of the test."""

    now: float = 100.0
    rings_in: list[float | None] = field(default_factory=list)  # None: turned off

    def clock(self) -> float:
        return self.now

    def ring_in(self, seconds: float) -> None:
        self.rings_in.append(seconds)

    def turn_off(self) -> None:
        self.rings_in.append(None)


@asynccontextmanager
async def an_election(
    *answers: Answer, duration: float = DURATION, hand: Hand | None = None
) -> AsyncIterator[tuple[Leader, Scripted]]:
    hand = hand or Hand()
    async with scripted(*answers) as server, Cluster(server.access, limits=IMPATIENT) as cluster:
        candidacy = Candidacy(Key("liqo", "controllers"), "rome", duration)
        yield Leader(cluster, candidacy, clock=hand.clock, alarm=hand), server


def a_lease(holder: str, version: str = "1") -> Answer:
    metadata: JSON = {"name": "controllers", "namespace": "liqo", "resourceVersion": version}
    return says(
        {"metadata": metadata, "spec": {"holderIdentity": holder, "leaseDurationSeconds": 15}}
    )


ABSENT = refuses(404)


def spec_of(server: Scripted, number: int) -> JSON:
    body: JSON = msgspec.json.decode(server.asked[number].body)
    return {**body["spec"], "guard": body["metadata"].get("resourceVersion")}


async def test_a_lease_that_nobody_made_is_made() -> None:
    hand = Hand()
    async with an_election(ABSENT, a_lease("rome"), hand=hand) as (leader, server):
        assert leader.left() == float("-inf")
        await leader.acquire()
        assert leader.left() == DURATION
    assert [asked.method for asked in server.asked] == ["GET", "POST"]
    assert spec_of(server, 1)["holderIdentity"] == "rome"
    assert hand.rings_in == [DURATION]


async def test_a_lease_that_was_released_is_taken_as_it_was_seen() -> None:
    async with an_election(a_lease("", "7"), a_lease("rome", "8")) as (leader, server):
        await leader.acquire()
    assert server.asked[1].method == "PATCH"
    assert spec_of(server, 1)["guard"] == "7"


async def test_a_lease_of_another_is_taken_when_it_has_run_out() -> None:
    hand = Hand()
    held, ours = a_lease("milan", "7"), a_lease("rome", "8")
    async with an_election(held, held, ours, duration=QUICK, hand=hand) as (leader, server):
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(leader.acquire())
            await server.until_asked(2)
            hand.now += 15.0
        assert leader.left() > 0
    assert len(server.asked) == 3


async def test_everybody_may_look_who_leads() -> None:
    async with an_election(ABSENT, a_lease(""), a_lease("milan")) as (leader, _):
        assert [await leader.who() for _ in range(3)] == ["", "", "milan"]


async def test_who_was_quicker_leads() -> None:
    answers = (ABSENT, refuses(409), a_lease("", "8"), a_lease("rome", "9"))
    async with an_election(*answers, duration=QUICK) as (leader, server):
        await leader.acquire()
    assert len(server.asked) == 4


async def test_a_candidate_that_may_not_stand_says_so_once() -> None:
    answers = (*[refuses(403, "not you")] * 3, ABSENT, a_lease("rome"))
    async with an_election(*answers, duration=QUICK) as (leader, _):
        with capture_logs() as logs:
            await leader.acquire()
    assert [log["event"] for log in logs] == ["cannot stand for election", "leading"]


async def test_a_lease_whose_answer_took_longer_than_it_lasts_is_not_ours() -> None:
    hand = Hand()
    answers = (ABSENT, a_lease("rome", "1"), a_lease("rome", "1"), a_lease("rome", "2"))
    async with an_election(*answers, duration=QUICK, hand=hand) as (leader, server):
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(leader.acquire())
            await server.until_asked(2)
            hand.now += 2 * QUICK
        assert leader.left() > 0
    assert hand.rings_in == [pytest.approx(QUICK)]


async def test_a_renewal_counts_from_before_it_was_sent() -> None:
    hand = Hand()
    answers = (ABSENT, a_lease("rome", "1"), a_lease("rome", "2"))
    async with an_election(*answers, duration=QUICK + 2, hand=hand) as (leader, server):
        await leader.acquire()
        hand.now += 1.0
        await leader.renew()
        assert leader.left() == pytest.approx(QUICK + 2)
    assert spec_of(server, 2)["guard"] == "1"
    assert spec_of(server, 2)["renewTime"]


async def test_a_lease_that_somebody_labelled_is_renewed_all_the_same() -> None:
    answers = (
        ABSENT,
        a_lease("rome", "1"),
        refuses(409),
        a_lease("rome", "2"),
        a_lease("rome", "3"),
    )
    async with an_election(*answers) as (leader, server):
        await leader.acquire()
        await leader.renew()
        assert leader.left() == DURATION
    assert spec_of(server, 4)["guard"] == "2"


@pytest.mark.parametrize("now", [a_lease("milan", "2"), ABSENT])
async def test_a_lease_that_is_anothers_by_now_is_lost(now: Answer) -> None:
    async with an_election(ABSENT, a_lease("rome"), refuses(409), now) as (leader, _):
        await leader.acquire()
        with pytest.raises(LeaseLost):
            await leader.renew()
        assert leader.left() == float("-inf")


async def test_a_lease_that_cannot_be_renewed_in_time_is_lost_before_it_ends() -> None:
    hand = Hand()
    async with an_election(ABSENT, a_lease("rome"), CUT, hand=hand) as (leader, _):
        await leader.acquire()
        hand.now += DURATION - 0.5
        with pytest.raises(LeaseLost):
            await leader.renew()
        assert leader.left() == pytest.approx(0.5)


async def test_who_lost_a_lease_leads_only_when_elected_again() -> None:
    hand = Hand()
    answers = (ABSENT, a_lease("rome", "1"), a_lease("rome", "1"), a_lease("rome", "2"))
    async with an_election(*answers, hand=hand) as (leader, _):
        await leader.acquire()
        hand.now += DURATION - 0.5
        with pytest.raises(LeaseLost):
            await leader.renew()
        await leader.acquire()
        assert leader.left() == DURATION


async def test_a_renewal_that_fails_is_tried_again() -> None:
    answers = (ABSENT, a_lease("rome", "1"), refuses(500), a_lease("rome", "2"))
    async with an_election(*answers, duration=1.2) as (leader, _):
        await leader.acquire()
        await leader.renew()
        assert leader.left() == pytest.approx(1.2)


async def test_the_lease_is_kept_until_it_is_lost() -> None:
    answers = (ABSENT, a_lease("rome", "1"), a_lease("rome", "2"), refuses(409), a_lease("milan"))
    async with an_election(*answers) as (leader, server):
        await leader.acquire()
        with pytest.raises(LeaseLost):
            await leader.keep(every=0.01)
    assert len(server.asked) == 5


async def test_a_released_lease_is_free_and_its_alarm_off() -> None:
    hand = Hand()
    answers = (ABSENT, a_lease("rome", "1"), a_lease("", "2"))
    async with an_election(*answers, hand=hand) as (leader, server):
        await leader.acquire()
        await leader.release()
        await leader.release()
        assert leader.left() == float("-inf")
    assert (spec_of(server, 2)["holderIdentity"], spec_of(server, 2)["guard"]) == ("", "1")
    assert hand.rings_in == [DURATION, None, None]


async def test_a_release_that_fails_is_no_error() -> None:
    async with an_election(ABSENT, a_lease("rome"), refuses(500)) as (leader, _):
        await leader.acquire()
        await leader.release()
