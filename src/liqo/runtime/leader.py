"""Leader election: of several copies of a program one works, the others are ready to.

A Lease cannot stop a request that is already on its way. So nothing is sent when the lease is
about to end (`runtime.execute` asks `left`), and writes are idempotent or name the uid or the
resourceVersion they were decided on.
"""

from __future__ import annotations

import asyncio

import structlog

from liqo.api.kubernetes import Lease
from liqo.api.meta import JSON, Key
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Conflict, KubeError, NotFound
from liqo.runtime.clock import Clock, Stopwatch, boot_clock, wall_clock
from liqo.runtime.errors import LeaseLost
from liqo.runtime.lease import Sighting, holder, is_free, released, renewed, sight, taken

DURATION = 15.0  # seconds: how long nobody works after a leader has vanished without a word
RENEWALS = 3  # per duration: two may fail
LOOKS = 5  # of a candidate, per duration

log = structlog.get_logger()


class Leader:
    """Our part in one election."""

    def __init__(
        self,
        cluster: Cluster,
        lease: Key,
        me: str,
        *,
        duration: float = DURATION,
        clock: Stopwatch = boot_clock,
    ) -> None:
        self._cluster = cluster
        self._key = lease
        self._me = me
        self._duration = duration
        self._clock = clock
        self._wall: Clock = wall_clock
        self._version = ""  # that our last write left the Lease with; empty: there is none
        self._until = float("-inf")

    def left(self) -> float:
        """Seconds for which nobody else can be leader."""
        return self._until - self._clock()

    async def acquire(self) -> None:
        """Return when we lead."""
        sighting: Sighting | None = None
        while self.left() <= 0:
            try:
                sighting = await self._candidate(sighting)
            except KubeError as error:
                log.debug("cannot stand for election", lease=str(self._key), why=str(error))
            if self.left() <= 0:
                await asyncio.sleep(self._duration / LOOKS)
        log.info("leading", lease=str(self._key), identity=self._me)

    async def keep(self) -> None:
        """Renew until the lease is lost, which raises LeaseLost."""
        while True:
            await asyncio.sleep(self._duration / RENEWALS)
            await self._renew_in_time()

    async def release(self) -> None:
        """Let go of the lease, so that nobody has to wait for its end."""
        if self.left() <= 0:
            return
        self._until = float("-inf")
        try:
            await self._write(released(self._wall()))
        except KubeError as error:
            log.info("cannot release the lease", lease=str(self._key), why=str(error))

    async def _candidate(self, before: Sighting | None) -> Sighting:
        sighting = sight(before, await self._look(), self._clock())
        if is_free(sighting, self._me, self._clock()):
            sent = self._clock()
            spec = taken(self._me, self._duration, sighting.lease, self._wall())
            self._version = sighting.lease.metadata.resource_version if sighting.lease else ""
            await self._write(spec)
            self._until = sent + self._duration
        return sighting

    async def _renew_in_time(self) -> None:
        while True:
            sent = self._clock()
            try:
                async with asyncio.timeout(max(0.0, self.left())):
                    await self._write(renewed(self._wall()))
            except Conflict:
                await self._look_again()
            except (KubeError, TimeoutError) as error:
                log.warning("cannot renew the lease", lease=str(self._key), why=str(error))
                await asyncio.sleep(min(1.0, self._duration / 10))
            else:
                self._until = sent + self._duration
                return
            if self.left() <= 0:
                raise LeaseLost(f"the lease {self._key} ran out before it could be renewed")

    async def _look_again(self) -> None:
        """Somebody wrote to our lease: to take it, or only to label it."""
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
