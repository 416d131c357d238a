"""When a replica decides on quotas, when it asks another, and how it hands over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import msgspec
from structlog.testing import capture_logs

from liqo.api.meta import JSON, Key, Meta, Resource
from liqo.api.offloading import Quota, ShadowPod, ShadowPodSpec
from liqo.api.sizes import SizedShadowPod
from liqo.kube.cluster import Cluster
from liqo.runtime.leader import Candidacy, Leader
from liqo.runtime.pace import IMPATIENT
from liqo.webhooks.configuration import TIMEOUT
from liqo.webhooks.quota.admitter import TIMES, Admitter, Times
from liqo.webhooks.quota.claim import Claim, verdict_of
from liqo.webhooks.quota.colleague import NOBODY, Colleague
from liqo.webhooks.review import ALLOW, Allow, Deny, Verdict
from tests.e2e.eventually import eventually
from tests.unit.kube.scripted import (
    Answer,
    Asked,
    Scripted,
    a_list,
    a_watch,
    refuses,
    says,
    serving,
)
from tests.unit.runtime.test_leader import Hand
from tests.unit.webhooks.quota.sizes import USER, a_claim, a_container, a_quota, a_shadow, taking
from tests.unit.webhooks.reviews.questions import creation, update

QUICK = Times(renew=0.01, patience=0.2, settling=0.05)
BRIEF = Times(settling=0.05)
QUOTA = a_quota(cpu="3")
CREATED = creation(
    ShadowPod(
        metadata=Meta(
            name="web-0",
            namespace="shop-rome",
            uid="uid of web-0",
            labels={"liqo.io/creator-user": USER},
        ),
        spec=ShadowPodSpec(
            raw_pod=msgspec.Raw(msgspec.json.encode({"containers": [a_container(cpu="2")]}))
        ),
    )
)


class Milan(Scripted):
    """Its API server: a lease, ShadowPods and Quotas."""

    def __init__(
        self, shadows: Sequence[SizedShadowPod] = (), quotas: Sequence[Quota] = ()
    ) -> None:
        super().__init__()
        self.holder: str | None = None  # None: there is no lease yet
        self.stubborn = False  # about the lease
        self.faults: list[Answer] = []  # first answers to lists
        self.arriving: SizedShadowPod | None = None
        self.arrived = asyncio.Event()
        self.lists: dict[str, Sequence[Resource]] = {"shadowpods": shadows, "quotas": quotas}
        self._version = 10

    def answer(self, asked: Asked) -> Answer | None:
        path = asked.path.partition("?")[0]
        if "/leases" in path:
            return self._lease(asked)
        kind = path.rpartition("/")[2]
        if "watch=true" in asked.path:
            return self._watch(kind)
        return (
            self.faults.pop()
            if self.faults
            else a_list(*map(written, self.lists[kind]), version="5")
        )

    def _lease(self, asked: Asked) -> Answer:
        if asked.method != "GET":
            if self.stubborn:
                return refuses(409)
            self.holder = msgspec.json.decode(asked.body)["spec"].get("holderIdentity", self.holder)
            self._version += 1
        if self.holder is None:
            return refuses(404)
        spec = {"holderIdentity": self.holder, "leaseDurationSeconds": 15}
        return says({"metadata": {"resourceVersion": str(self._version)}, "spec": spec})

    def _watch(self, kind: str) -> Answer:
        if kind == "quotas" or self.arriving is None:
            return a_watch(stays=True)
        told = a_watch({"type": "ADDED", "object": written(self.arriving)}, stays=True)
        return Answer(told.body, stays=True, when=self.arrived)


def written(thing: Resource) -> JSON:
    found: JSON = msgspec.json.decode(msgspec.json.encode(thing))
    found["metadata"]["resourceVersion"] = "7"
    return found


@dataclass
class Office:
    admitter: Admitter
    leader: Leader
    running: asyncio.Task[None]
    hand: Hand

    async def verdict(self, claim: Claim) -> Verdict:
        """Of ours, once it is our turn."""

        async def look() -> Verdict | None:
            return await self.admitter.decide(claim)

        found = await eventually(look, lambda seen: seen is not None)
        assert found is not None
        return found


@asynccontextmanager
async def an_office(
    milan: Milan, times: Times = BRIEF, elsewhere: str = ""
) -> AsyncIterator[Office]:
    hand = Hand()

    async def who() -> str:
        return elsewhere

    async with (
        serving(milan),
        Cluster(milan.access, limits=IMPATIENT) as cluster,
        Colleague(who, "localhost") as colleague,
        asyncio.TaskGroup() as tasks,
    ):
        lease = Candidacy(Key("liqo", "admission"), "us")
        leader = Leader(cluster, lease, clock=hand.clock, alarm=hand)
        admitter = Admitter(cluster, leader, colleague, hand.clock, times)
        running = tasks.create_task(admitter.run())
        yield Office(admitter, leader, running, hand)
        running.cancel()


async def test_who_is_elected_decides_by_what_is_stored() -> None:
    milan = Milan([a_shadow(taking(cpu="1"), "there")], [QUOTA])
    async with an_office(milan) as office:
        assert await office.verdict(a_claim(taking(cpu="2"))) == ALLOW
        refused = await office.verdict(a_claim(taking(cpu="1"), "web-1"))
        assert isinstance(refused, Deny)
        assert refused.reason.startswith("peering cpu quota usage exceeded - free 0 / requested 1")
    lists = [each.path for each in milan.asked if "watch" not in each.path]
    newest = [each for each in lists if "lease" not in each]
    assert len(newest) == 2
    assert not any("resourceVersion=0" in each for each in newest)


async def test_a_quota_is_found_by_its_user_as_a_label_has_it() -> None:
    odd = a_quota(user="system:serviceaccount:liqo:odd", cpu="1")
    async with an_office(Milan(quotas=[QUOTA, odd])) as office:
        claim = a_claim(taking(cpu="1"), user="system-serviceaccount-liqo-odd")
        assert await office.verdict(claim) == ALLOW


async def test_a_quota_that_was_made_just_now_is_looked_up() -> None:
    milan = Milan()
    async with an_office(milan) as office:
        refused = await office.verdict(a_claim(taking(cpu="1")))
        assert refused == Deny(f'failed getting quota: there is none of the user "{USER}"')
        milan.lists["quotas"] = [a_quota(user="other", cpu="1"), QUOTA]
        assert await office.verdict(a_claim(taking(cpu="3"))) == ALLOW


async def test_a_list_that_fails_is_asked_for_again() -> None:
    milan = Milan(quotas=[QUOTA])
    milan.faults = [refuses(403), refuses(403)]
    with capture_logs() as logs:
        async with an_office(milan) as office:
            assert await office.verdict(a_claim(taking(cpu="1"))) == ALLOW
    assert [each["event"] for each in logs].count("cannot decide on quotas") == 2


async def test_nothing_is_decided_that_could_be_heard_after_the_lease() -> None:
    async with an_office(Milan(quotas=[QUOTA])) as office:
        await office.verdict(a_claim(taking(cpu="1")))
        office.hand.now += office.leader.left() - TIMEOUT
        assert await office.admitter.decide(a_claim(taking(cpu="1"))) is None


async def test_a_shadow_pod_is_refused_or_not_as_the_quota_says() -> None:
    async with an_office(Milan(quotas=[a_quota(cpu="2")])) as office:
        await office.verdict(a_claim(taking(cpu="1"), is_dry_run=True))
        assert await office.admitter.admit(CREATED) is None
        other = msgspec.structs.replace(CREATED.object, metadata=Meta(name="web-1"))
        refused = await office.admitter.admit(creation(other))
        assert refused == Deny("missing creator label: nobody knows whose quota counts")


async def test_what_asks_for_nothing_waits_for_nobody() -> None:
    milan = Milan()
    milan.holder = "somebody"
    async with an_office(milan) as office:
        assert await office.admitter.admit(update(CREATED.object, CREATED.object)) is None


async def test_while_nobody_decides_it_says_so_and_lets_ask_again() -> None:
    milan = Milan()
    milan.holder = "somebody"
    async with an_office(milan, QUICK) as office:
        refused = await office.admitter.admit(CREATED)
    assert refused == Deny(f"nobody decides on quotas at this moment: {NOBODY}; try again", 500)


async def test_another_replica_is_answered_by_who_decides() -> None:
    milan = Milan(quotas=[QUOTA])
    asked = msgspec.json.encode(a_claim(taking(cpu="1")))
    async with an_office(milan) as office:
        await office.verdict(a_claim(taking(cpu="1"), is_dry_run=True))
        answer = await office.admitter.reply(asked)
        assert answer is not None
        assert isinstance(verdict_of(answer), Allow)
        office.hand.now += TIMEOUT
        assert await office.admitter.reply(asked) is None


async def test_who_goes_with_nothing_on_its_way_hands_over_at_once() -> None:
    milan = Milan(quotas=[QUOTA])
    async with an_office(milan) as office:
        await office.verdict(a_claim(taking(cpu="1"), is_dry_run=True))
        office.running.cancel()
        await asyncio.wait([office.running])
        assert await office.admitter.decide(a_claim(taking(cpu="1"))) is None
    assert milan.holder == ""


async def test_who_goes_waits_for_what_it_admitted() -> None:
    milan = Milan(quotas=[QUOTA])
    milan.arriving = a_shadow(taking(cpu="1"))
    async with an_office(milan, TIMES) as office:
        await office.verdict(a_claim(taking(cpu="1")))
        office.running.cancel()
        milan.arrived.set()
        await asyncio.wait([office.running])
    assert milan.holder == ""


async def test_what_never_arrives_leaves_the_lease_to_run_out() -> None:
    milan = Milan(quotas=[QUOTA])
    async with an_office(milan, BRIEF) as office:
        await office.verdict(a_claim(taking(cpu="1")))
        office.running.cancel()
        await asyncio.wait([office.running])
    assert milan.holder == "us"


async def test_who_loses_the_lease_decides_no_more_until_it_is_elected_again() -> None:
    milan = Milan(quotas=[QUOTA])
    with capture_logs() as logs:
        async with an_office(milan, QUICK) as office:
            await office.verdict(a_claim(taking(cpu="1"), is_dry_run=True))
            milan.stubborn, milan.holder = True, "somebody"

            async def lost() -> bool:
                return office.leader.left() < 0

            await eventually(lost)
            assert await office.admitter.decide(a_claim(taking(cpu="1"))) is None
            milan.stubborn, milan.holder = False, ""
            assert await office.verdict(a_claim(taking(cpu="1"))) == ALLOW
    assert "no longer deciding on quotas" in [each["event"] for each in logs]


async def test_who_loses_it_while_the_program_ends_does_not_stand_again() -> None:
    milan = Milan(quotas=[QUOTA])
    async with an_office(milan, Times(renew=0.01, settling=5.0)) as office:
        await office.verdict(a_claim(taking(cpu="1")))  # which never arrives
        milan.stubborn, milan.holder = True, "somebody"
        office.running.cancel()
        async with asyncio.timeout(4):
            await asyncio.wait([office.running])
