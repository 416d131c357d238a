"""A peering ends: what was lent goes back first, then the credentials, then the rest."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from liqo.cli.call import Call, Deadline
from liqo.cli.installation import check_differ, find
from liqo.cli.peering import disconnecting, parting, removal
from liqo.cli.peering.leaving import WITHOUT_IT, Manner, answering, leave_unheard, provider_at
from liqo.cli.peering.parting import Places
from liqo.cli.peering.sides import Loan, Pair, local, remote
from liqo.cli.peering.silence import attentive, revive
from liqo.cli.running import together
from liqo.errors import LiqoError


@dataclass(frozen=True)
class Wanted:
    """What the flags say."""

    timeout: float
    wait: bool
    delete_namespaces: bool


async def unpeer(call: Call, wanted: Wanted, *, liqo_namespace: str, remote_namespace: str) -> None:
    deadline, sooner = Deadline(wanted.timeout), Deadline(min(wanted.timeout, WITHOUT_IT))
    async with call.clusters() as (here, there):
        home, provider = await together(
            find(here, liqo_namespace), answering(there, remote_namespace)
        )
        consumer = local(call, home)
        if provider is not None:
            check_differ(home, provider)
            await end(Pair(consumer, remote(call, provider), deadline), wanted)
            return
        server = there.access.server
        loan = Loan(consumer, await provider_at(consumer, server), sooner)
        manner = Manner(True, wanted.delete_namespaces, wanted.wait)
        await leave_unheard(call.out, loan, server, manner)


async def end(pair: Pair, wanted: Wanted) -> None:
    mutual = await parting.is_mutual(pair.consumer, pair.provider.id)
    if mutual and wanted.delete_namespaces:
        raise LiqoError(
            "cannot delete the tenant namespace when a bidirectional is enabled, please remove "
            "the --delete-namespaces flag"
        )
    places = await parting.places(pair)
    async with departure(pair, places, wait=wanted.wait):
        await parting.return_what_was_lent(pair.loan, wait=wanted.wait)
        await parting.no_slices_left(pair.loan, tolerate=not wanted.wait)
    if not mutual:
        await disconnecting.reset(pair)
    if wanted.delete_namespaces:
        await removal.delete_namespaces(pair, places, wait=wanted.wait)


@asynccontextmanager
async def departure(pair: Pair, where: Places, *, wait: bool) -> AsyncIterator[None]:
    """What is lent goes back first, which is what is done inside; then the credentials.

    R7: the consumer's controllers take back what they asked for while they have the right to. If
    they cannot use the provider, it goes with the Tenant: we reach that ourselves.
    """

    def tell(server: str) -> None:
        pair.consumer.out.warning(
            f"the controllers of {pair.consumer.cluster.name} cannot use the provider "
            f'"{pair.provider.id}" at {server}: what they asked for there goes with its Tenant'
        )

    async with attentive(pair.loan, tell) as given_up:
        yield
        await parting.drop_identity(pair.loan, where.here, wait=wait)
    await parting.drop_tenant(pair, where.there, wait=wait)
    if given_up.is_set() and wait:
        if where.there:
            await parting.copies_gone(pair, where.there)
        await revive(pair.loan)
