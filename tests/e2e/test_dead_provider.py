"""A provider that does not answer keeps nobody from leaving, and learns of it when it is back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

import pytest

from liqo.api.authentication import Identity, Renew, ResourceSlice, Tenant
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Namespace, Secret
from liqo.api.meta import Key, Resource
from liqo.api.offloading import Quota
from liqo.playground import faults
from liqo.playground.cluster import Site
from liqo.rules import names
from tests.e2e.controllers import Controllers, Pair, both_installed
from tests.e2e.eventually import ENDING, eventually
from tests.e2e.liqoctl import Ended, interrupted, liqoctl, ran
from tests.e2e.loans import Loan, done
from tests.e2e.peering import Peering, Side, gone
from tests.e2e.snapshot import snapshot

# The kube-controller-manager looks again ever more seldom while its API server is away, in the end
# once a minute: then nobody deletes namespaces for so long. It dies with it, as on one machine.
CONTROL_PLANE = ("kube-controller-manager", "kube-apiserver")
TOMBSTONE = ("liqo", names.tombstone("milan"))


@dataclass(frozen=True)
class World(Loan):
    """Rome borrows from Milan, which can be broken."""

    pair: Pair

    @property
    def peering(self) -> Peering:
        return self.pair.peering

    @property
    def of_rome(self) -> Controllers:
        return self.pair.rome[1]

    @property
    def here_alone(self) -> dict[str, str]:
        return {"KUBECONFIG": str(self.consumer.kubeconfig)}

    async def leave_alone(self) -> Ended:
        """With one kubeconfig: what our controllers know of the other side has to do."""
        return done(await liqoctl("unpeer", "out-of-band", "milan", environment=self.here_alone))


@pytest.fixture(scope="module")
async def both(breakable: list[Site]) -> AsyncIterator[World]:
    rome, milan = breakable
    async with both_installed(rome, milan) as pair:
        yield World(rome, milan, pair)


@pytest.fixture
async def world(both: World) -> AsyncIterator[World]:
    """Without any peering, before and after."""
    try:
        yield both
    finally:
        await both.pair.part()


@asynccontextmanager
async def dead(site: Site) -> AsyncIterator[None]:
    killed = [faults.target(site, name) for name in CONTROL_PLANE]
    for each in killed:
        await faults.kill(each)
    try:
        yield
    finally:
        for each in reversed(killed):
            await faults.start(each)


@asynccontextmanager
async def hanging(site: Site) -> AsyncIterator[None]:
    """It takes connections, and says nothing."""
    paused = faults.target(site, "kube-apiserver")
    await faults.pause(paused)
    try:
        yield
    finally:
        await faults.resume(paused)


async def exists(side: Side, kind: type[Resource], namespace: str, name: str) -> bool:
    return await side.find(kind, namespace, name) is not None


async def is_forgotten(side: Side) -> None:
    """Its provider was told: who did not answer for long is asked again ever less often."""
    await eventually(partial(exists, side, Secret, *TOMBSTONE), is_=False, within=ENDING)


async def api_server_status(side: Side) -> str:
    found = await side.find(ForeignCluster, "", "milan")
    said = found.status.conditions if found is not None and found.status is not None else ()
    return next((each.status for each in said if each.type == "APIServerStatus"), "")


def silent_at(server: str) -> str:
    return (
        f'WARN: the provider "milan" does not answer at {server}: it is left without its help, '
        "which takes 30 s at the most"
    )


def stays(slice_name: str) -> str:
    return (
        'WARN: the provider "milan" was not told: there stay the namespace "liqo-tenant-rome" with '
        f'the Tenant "rome", its ResourceSlices ({slice_name}) and Quotas '
        f"({names.quota(slice_name, 'rome')}); this cluster takes them back when it answers again, "
        "or its administrator takes them back with: liqoctl drain tenant rome"
    )


async def test_a_dead_provider_is_left_in_time_and_forgets_us_when_it_is_back(
    world: World,
) -> None:
    """Who is not done when the 30 seconds of the first warning are over exits with 1."""
    consumer = world.peering.consumer
    server = world.peering.provider.cluster.access.server
    before = await world.settled()
    printed = await liqoctl("generate", "peer-command", f"--kubeconfig={world.provider.kubeconfig}")
    done(await ran("bash", text=printed.stdout, environment=world.here_alone))
    await world.appears("liqo-milan")
    async with dead(world.provider):
        left = done(await liqoctl(*world.ending, "--delete-namespaces"))
        warnings = [line for line in left.told if line.startswith("WARN")]
        assert warnings == [silent_at(server), stays("liqo-milan")]
        assert left.told[-1] == warnings[-1]
        more = (await snapshot(world.consumer)).keys() - before[0].keys()
        assert more == {"Secret {}/{}".format(*TOMBSTONE)}
        again = await liqoctl(*world.ending)
        assert (again.code, again.told[0]) == (0, silent_at(server))
        await world.of_rome.kill()  # what was left is not forgotten by a restart
        await world.of_rome.start()
    await is_forgotten(consumer)
    await world.is_as(before)


async def test_a_tenant_that_was_not_claimed_goes_and_leaves_its_namespace(world: World) -> None:
    peering = world.peering
    await world.peer()
    await world.appears()
    async with hanging(world.provider):
        await eventually(partial(api_server_status, peering.consumer), is_="Error")
        left = await world.leave_alone()
        server = peering.provider.cluster.access.server
        assert (left.told[0], left.told[-1]) == (silent_at(server), stays("milan"))
    for kind in (Tenant, ResourceSlice, Renew, Quota):
        await gone(peering.provider, kind, peering.there)
    await is_forgotten(peering.consumer)
    assert await exists(peering.provider, Namespace, "", peering.there)


async def test_who_peers_again_before_the_provider_knew_of_the_end_stays_peered(
    world: World,
) -> None:
    peering, tenant = world.peering, Key(world.there, "rome")
    await world.peer()
    await world.appears()
    first = await peering.provider.cluster.get(Tenant, tenant)
    async with hanging(world.provider):
        left = await world.leave_alone()  # before our controllers know: they find out meanwhile
        assert left.told[-1] == stays("milan")
        await world.of_rome.kill()  # so that it cannot tell before we are back
    # Nobody is there to tell: who comes back waits a moment for that, and no longer.
    ensured = "INFO: Tenant namespace correctly ensured"
    done(await interrupted(ensured, world.of_rome.start, *world.making))
    await world.appears()
    assert not await exists(peering.consumer, Secret, *TOMBSTONE)
    again = await peering.provider.cluster.get(Tenant, tenant)
    assert again.metadata.uid == first.metadata.uid


async def test_a_provider_that_dies_while_it_is_left_is_told_all_the_same(world: World) -> None:
    """The Identity is gone by then, and only its credential is kept, for those who take leave."""
    peering = world.peering
    consumer, provider = peering.consumer, peering.provider
    await world.peer()
    await world.appears()
    async with hanging(world.provider):
        await consumer.delete(Identity, world.here, peering.identity)
        await eventually(
            partial(exists, consumer, Identity, world.here, peering.identity), is_=False
        )
        credential = names.kubeconfig_secret(peering.identity)
        assert await exists(consumer, Secret, world.here, credential)
        left = done(await liqoctl(*world.ending))
        assert left.told[-1] == stays("milan")
        assert await exists(consumer, Secret, *TOMBSTONE)
    for kind in (Tenant, ResourceSlice, Quota):
        await gone(provider, kind, peering.there)
    await is_forgotten(consumer)
