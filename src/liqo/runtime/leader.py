"""Leader election: of several copies of a program one works, the others are ready to.

A Lease cannot stop a request that is already on its way. So nothing is sent when the lease is
about to end (`runtime.send` asks `left`), a leader that cannot renew ends before its lease does,
one that was asleep at that moment is ended by the kernel (`runtime.alarm`), and writes are
idempotent or name the uid or the resourceVersion they were decided on.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Protocol

import structlog

from liqo.api.kubernetes import Lease
from liqo.api.meta import JSON, Key
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Conflict, KubeError, NotFound
from liqo.runtime import alarm as the_kernels_alarm
from liqo.runtime.clock import Stopwatch, boot_clock, wall_clock
from liqo.runtime.errors import LeaseLost
from liqo.runtime.lease import Sighting, holder, is_free, released, renewed, sight, taken

DURATION = 15.0  # seconds: how long nobody works after a leader has vanished without a word
RENEWALS = 3  # per duration: two may fail
LOOKS = 5  # of a candidate, per duration …
LOOK_AGAIN = 1.0  # … and at least every so many seconds: who is told to go hands over at once
GIVE_UP = 1.0  # seconds before the end of a lease that is not renewed: time to end in peace
LETTING_GO = 1.0  # seconds that a release may take

log = structlog.get_logger()


@dataclass(frozen=True)
class Candidacy:
    """For which lease one stands, under which name; no two processes may have the same."""

    lease: Key
    identity: str
    duration: float = DURATION


class Alarm(Protocol):
    def ring_in(self, seconds: float) -> None: ...
    def turn_off(self) -> None: ...


class Leader:
    """Our part in one election."""

    def __init__(
        self,
        cluster: Cluster,
        candidacy: Candidacy,
        *,
        clock: Stopwatch = boot_clock,
        alarm: Alarm = the_kernels_alarm,
    ) -> None:
        self._cluster = cluster
        self._key = candidacy.lease
        self._me = candidacy.identity
        self._duration = candidacy.duration
        self._clock = clock
        self._alarm = alarm
        self._version = ""  # that our last write left the Lease with; empty: there is none
        self._until = float("-inf")

    def left(self) -> float:
        """Seconds for which nobody else can be leader."""
        return self._until - self._clock()

    async def who(self) -> str:
        """Who holds the lease now, be it for a moment only; empty: nobody."""
        return holder(await self._look())

    async def acquire(self) -> None:
        """Return when we lead."""
        self._until = float("-inf")  # also of a lease that was lost a moment before its end
        sighting: Sighting | None = None
        complaint = ""
        while self.left() <= 0:
            try:
                sighting = await self._candidate(sighting)
            except Conflict:
                pass  # another was quicker
            except KubeError as error:
                if complaint != str(error):
                    complaint = str(error)
                    log.warning("cannot stand for election", lease=str(self._key), why=complaint)
            if self.left() <= 0:
                await asyncio.sleep(min(self._duration / LOOKS, LOOK_AGAIN))
        log.info("leading", lease=str(self._key), identity=self._me)

    async def keep(self, every: float | None = None) -> None:
        """Renew until the lease is lost, which raises LeaseLost."""
        while True:
            await asyncio.sleep(self._duration / RENEWALS if every is None else every)
            await self.renew()

    async def renew(self) -> None:
        """Try for as long as there is time."""
        while self.left() > GIVE_UP:
            try:
                async with asyncio.timeout(self.left() - GIVE_UP):
                    await self._renew()
            except (KubeError, TimeoutError) as error:
                why = str(error) or "no answer in time"
                log.warning("cannot renew the lease", lease=str(self._key), why=why)
                pause = min(1.0, self._duration / 10, self.left() - GIVE_UP)
                await asyncio.sleep(max(0.0, pause))
            else:
                return
        raise LeaseLost(f"the lease {self._key} was about to end and could not be renewed")

    async def release(self) -> None:
        """Our work is done; nobody has to wait for the end of the lease."""
        self._alarm.turn_off()
        if self.left() <= 0:
            return
        self._until = float("-inf")
        try:
            async with asyncio.timeout(LETTING_GO):
                await self._write(released(wall_clock()))
        except (KubeError, TimeoutError) as error:
            log.info("cannot release the lease", lease=str(self._key), why=str(error))

    async def _candidate(self, before: Sighting | None) -> Sighting:
        sighting = sight(before, await self._look(), self._clock())
        if is_free(sighting, self._me, self._clock()):
            sent = self._clock()
            spec = taken(self._me, self._duration, sighting.lease, wall_clock())
            self._version = sighting.lease.metadata.resource_version if sighting.lease else ""
            await self._write(spec)
            self._hold(sent)
        return sighting

    async def _renew(self) -> None:
        sent = self._clock()
        try:
            await self._write(renewed(wall_clock()))
        except Conflict:
            await self._look_again()
            await self._write(renewed(wall_clock()))
        self._hold(sent)

    def _hold(self, sent: float) -> None:
        """The lease is ours for its duration, counted from before we asked for it."""
        self._until = sent + self._duration
        if self.left() > 0:  # else the answer took longer than the lease lasts
            self._alarm.ring_in(self.left())

    async def _look_again(self) -> None:
        """Somebody wrote to our lease: to take it, to label it, or we did and never heard."""
        lease = await self._look()
        if lease is None or holder(lease) != self._me:
            self._until = float("-inf")
            raise LeaseLost(f"the lease {self._key} went to {holder(lease) or 'nobody'}")
        self._version = lease.metadata.resource_version

    async def _look(self) -> Lease | None:
        try:
            return await self._cluster.get(Lease, self._key)
        except NotFound:
            return None

    async def _write(self, spec: JSON) -> None:
        """Change the lease as we know it; raises Conflict when it is another one by now."""
        if not self._version:
            body = {
                "apiVersion": Lease.KIND.api_version,
                "kind": Lease.KIND.name,
                "metadata": {"name": self._key.name, "namespace": self._key.namespace},
                "spec": spec,
            }
            answer = await self._cluster.create(
                body, kind=Lease.KIND, namespace=self._key.namespace
            )
        else:
            body = {"metadata": {"resourceVersion": self._version}, "spec": spec}
            answer = await self._cluster.patch(Lease.KIND, self._key, body, how="merge")
        self._version = answer["metadata"]["resourceVersion"]
