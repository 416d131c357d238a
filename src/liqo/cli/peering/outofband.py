"""Peering and its end, with nothing but the local kubeconfig and a printed command."""

from __future__ import annotations

from dataclasses import dataclass

from liqo.api import labels
from liqo.api.authentication import Identity, ResourceSlice
from liqo.api.core import ForeignCluster
from liqo.cli.call import AGENT, Call, Deadline
from liqo.cli.installation import Installation, check_differ, find
from liqo.cli.objects import Wish, resource_slice
from liqo.cli.peering import leftovers, tombstones
from liqo.cli.peering.claiming import Invitation, let_in
from liqo.cli.peering.handshake import Places, at_home, authenticate
from liqo.cli.peering.leaving import (
    WITHOUT_IT,
    Manner,
    leave_attentively,
    leave_unheard,
    may_go,
)
from liqo.cli.peering.making import ensuring
from liqo.cli.peering.parting import find_all, is_mutual, of_peer
from liqo.cli.peering.remains import farewell
from liqo.cli.peering.sides import Loan, Pair, Side, local, remote
from liqo.cli.peering.silence import silent_at
from liqo.cli.peering.slices import ask
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.paths import Scope
from liqo.rules import names

MADE_HERE = {labels.OUT_OF_BAND: "true"}
SHARE = "share"  # as that command always did: a percentage of all that the provider has free


@dataclass(frozen=True)
class Home:
    namespace: str  # of the installation
    timeout: float


@dataclass(frozen=True)
class Provider:
    name: str  # what we call it
    id: str


def slice_of(name: str) -> str:
    """Hence the name of the node."""
    return f"liqo-{name}"


async def peer(call: Call, home: Home, provider: Provider, invitation: Invitation) -> None:
    check(provider)
    deadline = Deadline(home.timeout)
    there = Cluster(invitation.access, name=f'the provider "{provider.id}"', agent=AGENT)
    async with call.cluster() as here, there:
        consumer = local(call, await find(here, home.namespace))
        lender = Installation(there, invitation.account.namespace, provider.id)
        check_differ(Installation(here, home.namespace, consumer.id), lender)
        pair = Pair(consumer, remote(call, lender), deadline)
        with ensuring("authentication"):
            places = await prepare(pair, invitation)
            await authenticate(pair, places)
        with ensuring("offloading"):
            await ask(pair.loan, share_of(provider, places.here))


def share_of(provider: Provider, here: str) -> ResourceSlice:
    """`here` is its tenant namespace on the consumer, whose name may be any."""
    return resource_slice(slice_of(provider.name), here, provider.id, Wish(SHARE))


def check(provider: Provider) -> None:
    wrong = names.check_cluster_id(provider.id) or names.check_slice_name(slice_of(provider.name))
    if wrong:
        raise LiqoError(f"{wrong}; copy the whole command that the provider printed")


async def prepare(pair: Pair, invitation: Invitation) -> Places:
    consumer, provider = pair.consumer, pair.provider
    text = "Ensuring tenant namespace", "Tenant namespace correctly ensured"
    with consumer.out.step(*text):
        async with pair.deadline.waiting("the end of an earlier peering, and our key pair"):
            await tombstones.overturn(consumer, provider.id)
            here, keys = await at_home(consumer, provider.id, MADE_HERE)
    there = await let_in(pair, invitation, keys)
    with provider.out.step(*text):
        async with pair.deadline.waiting("the end of an earlier peering"):
            await leftovers.ended(provider, there, consumer.id)
    return Places(here, there, keys)


async def unpeer(call: Call, home: Home, name: str) -> None:
    deadline, sooner = Deadline(home.timeout), Deadline(min(home.timeout, WITHOUT_IT))
    async with call.cluster() as cluster:
        consumer = local(call, await find(cluster, home.namespace))
        provider = await called(consumer, name)
        silent = await silent_at(consumer, provider)
        mutual = await is_mutual(consumer, provider)
        manner = Manner(bool(silent), await may_go(consumer, provider) and not mutual)
        if silent:
            await leave_unheard(call.out, Loan(consumer, provider, sooner), silent, manner)
            return
        loan = Loan(consumer, provider, deadline)
        left, fell_silent = await leave_attentively(call.out, loan, manner)
        if left.is_buried and (fell_silent or not await told(loan)):
            call.out.warning(farewell(left.remains, is_buried=True))


async def called(consumer: Side, name: str) -> str:
    """The ID of the provider that we call so."""
    slices = await find_all(consumer, ResourceSlice, Scope(labels=f"{labels.REPLICATION}=true"))
    for each in slices:
        if each.metadata.name == slice_of(name):
            return each.metadata.labels.get(labels.REMOTE_ID, name)
    if await find_all(consumer, Identity, of_peer(name)):
        return name
    if await find_all(consumer, ForeignCluster, of_peer(name)):
        return name
    raise LiqoError(
        f'{consumer.cluster.name} does not borrow from a cluster "{name}"; see its peers with: '
        "liqoctl info"
    )


async def told(loan: Loan) -> bool:
    """Our controllers tell the provider, which then takes everything back."""
    out = loan.consumer.out
    with out.step("Waiting for the provider to take everything back"):
        try:
            async with loan.deadline.waiting("the provider"):
                await tombstones.withdrawn(loan.consumer, loan.provider_id)
        except LiqoError:
            return False
    out.info("Everything taken back by the provider")
    return True
