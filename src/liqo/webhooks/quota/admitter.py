"""Admitter: of all replicas of the webhook, the one that decides whether ShadowPods fit a quota.

Runs on   provider, in every replica of the webhook
Watches   ShadowPod, Quota (only while it holds the lease)
Writes    Lease liqo-webhook-admission

One decides, because two would each admit the last free core. That it never overlaps with the next
one: an answer that comes ten seconds after the question is not heard any more (`TIMEOUT`), and
nothing is decided with less than that left of the lease. Who goes hands over what can be seen by
all; who takes over lists what is stored, not what an API server remembers.
docs/adr/0028-one-admitter.md
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import msgspec
import structlog

from liqo.api.meta import Resource
from liqo.api.offloading import Quota, ShadowPod
from liqo.api.sizes import SizedShadowPod
from liqo.kube.cache import Cache
from liqo.kube.cluster import Cluster
from liqo.kube.errors import KubeError
from liqo.kube.reading import O
from liqo.runtime.clock import Stopwatch, boot_clock
from liqo.runtime.errors import LeaseLost
from liqo.runtime.leader import Leader
from liqo.webhooks.configuration import TIMEOUT
from liqo.webhooks.quota.claim import Claim, claimed, ruling
from liqo.webhooks.quota.colleague import Colleague
from liqo.webhooks.quota.tally import Tally
from liqo.webhooks.review import Deny, Request, Verdict
from liqo.webhooks.reviews.shadowpods import label_of

PAUSE = 0.05  # seconds
FAULT = 500

log = structlog.get_logger()


@dataclass(frozen=True)
class Times:
    """In seconds."""

    renew: float = 3.0  # leaves two for it, before the lease is too short for an answer
    patience: float = 4.0  # for somebody who decides: with that of the server less than TIMEOUT
    settling: float = 2.0  # for the last that was admitted to be seen


TIMES = Times()


@dataclass(frozen=True)
class Term:
    """What is known while it is ours to decide."""

    tally: Tally
    shadows: Cache[SizedShadowPod]
    quotas: Cache[Quota]

    def quota_of(self, user: str) -> Quota | None:
        return first(self.quotas.by(users, user))

    async def settled(self) -> None:
        """Return when all that was admitted is seen."""
        told = asyncio.Event()
        end = self.shadows.subscribe(lambda *_: told.set())
        while not self.tally.is_settled:
            told.clear()
            await told.wait()
        end()


def users(found: Resource) -> tuple[str, ...]:
    """An index of Quotas."""
    return (label_of(found.spec.user),) if isinstance(found, Quota) else ()


def first(quotas: Iterable[Quota]) -> Quota | None:
    """Of several of one user, that with the first name."""
    return min(quotas, key=lambda quota: quota.key, default=None)


class Admitter:
    def __init__(
        self,
        cluster: Cluster,
        leader: Leader,
        colleague: Colleague,
        clock: Stopwatch = boot_clock,
        times: Times = TIMES,
    ) -> None:
        self._cluster = cluster
        self._leader = leader
        self._colleague = colleague
        self._clock = clock
        self._times = times
        self._term: Term | None = None  # None: it is another's turn, or nobody's
        self._tally = Tally()  # of our last term

    async def run(self) -> None:
        """Stand for election, and preside when elected, until we are cancelled."""
        task = asyncio.current_task()
        # Who leaves a task group with an error of its own forgets that it was cancelled.
        while task is None or not task.cancelling():
            await self._leader.acquire()
            try:
                await self._preside()
            except* LeaseLost as lost:
                log.warning("no longer deciding on quotas", why=str(lost.exceptions[0]))

    async def admit(self, request: Request[ShadowPod]) -> Deny | None:
        """What comes before a ShadowPod is allowed: none is stored that does not fit."""
        claim = claimed(request)
        if claim is None:
            return None
        try:
            async with asyncio.timeout(self._times.patience):
                verdict = await self._verdict(claim)
        except TimeoutError:
            why = self._colleague.silence
            log.warning("nobody decides on quotas", key=str(claim.key), why=why)
            return Deny(f"nobody decides on quotas at this moment: {why}; try again", FAULT)
        return verdict if isinstance(verdict, Deny) else None

    async def reply(self, body: bytes) -> bytes | None:
        """To another replica."""
        verdict = await self.decide(msgspec.json.decode(body, type=Claim))
        return None if verdict is None else ruling(verdict)

    async def decide(self, claim: Claim) -> Verdict | None:
        """None: it is not ours to decide, or not for as long as the answer may take."""
        term = self._term
        if term is None:
            return None
        quota = term.quota_of(claim.user) or await self._made_just_now(claim.user)
        now, left = self._clock(), self._leader.left()
        if term is not self._term or left <= TIMEOUT:
            return None
        return term.tally.admit(claim, quota, now, now - term.shadows.age())

    async def _made_just_now(self, user: str) -> Quota | None:
        """Where the copy has no quota of that user, it may be behind."""
        listing = await self._cluster.list(Quota, resource_version="")
        return first(quota for quota in listing.items if user in users(quota))

    async def _verdict(self, claim: Claim) -> Verdict:
        while True:
            verdict = await self.decide(claim) or await self._colleague.decide(claim)
            if verdict is not None:
                return verdict
            await asyncio.sleep(PAUSE)

    async def _preside(self) -> None:
        self._tally = tally = self._tally.successor()
        term = Term(tally, Cache(self._cluster, SizedShadowPod), Cache(self._cluster, Quota))
        term.shadows.subscribe(term.tally.follow)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._leader.keep(self._times.renew))
            tasks.create_task(self._follow(term.shadows))
            tasks.create_task(self._follow(term.quotas))
            try:
                await term.shadows.wait_synced()
                await term.quotas.wait_synced()
                log.info("deciding on quotas", shadow_pods=len(term.shadows))
                self._term = term
                await asyncio.Event().wait()  # until the lease is lost, or the program ends
            finally:
                self._term = None
                await self._hand_over(term)

    async def _follow(self, copy: Cache[O]) -> None:
        """From what is stored now: what an API server remembers may be older than our term."""
        while not copy.lists:
            try:
                listing = await self._cluster.list(copy.reading, resource_version="")
            except KubeError as error:
                log.warning("cannot decide on quotas", copy=str(copy), why=str(error))
                await asyncio.sleep(PAUSE)
            else:
                await copy.adopt(listing)
        await copy.run()

    async def _hand_over(self, term: Term) -> None:
        """At once, if all that was admitted can be seen; else the lease ends by itself."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, min(self._times.settling, self._leader.left()))):
                await term.settled()
                await self._leader.release()
