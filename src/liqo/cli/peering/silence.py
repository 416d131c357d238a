"""A provider that our controllers cannot use: how that is known, and that nobody waits for it.

They ask it for signs of life all the time, with our credential. No route, another authority and
a certificate that has expired look alike to them; whoever calls us may reach it all the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from liqo.api.core import ForeignCluster
from liqo.api.meta import Key
from liqo.cli.peering.forgetting import declare
from liqo.cli.peering.sides import Loan, Side
from liqo.errors import first_error
from liqo.kube.errors import NotFound
from liqo.kube.waiting import until
from liqo.rules import conditions


async def silent_at(consumer: Side, provider: str) -> str:
    """Where it does not answer, as our controllers see it, who ask all the time; else empty."""
    found = await consumer.find(ForeignCluster, Key("", provider))
    return _server(found) if found is not None and _is_silent(found) else ""


@asynccontextmanager
async def attentive(loan: Loan, tell: Callable[[str], None]) -> AsyncIterator[asyncio.Event]:
    """Meanwhile a provider that is silent, or falls silent, is declared dead: that is the Event.

    `tell` is told where it does not answer.
    """
    given_up = asyncio.Event()

    async def give_up() -> None:
        key = Key("", loan.provider_id)
        found = await until(loan.consumer.cluster, ForeignCluster, key, _is_silent)
        given_up.set()  # first: what may have been declared can then be taken back
        tell(_server(found))
        with suppress(NotFound):  # the last of it went in this moment
            await declare(loan.consumer.cluster, key, dead=True)

    try:
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(give_up())
            try:
                yield given_up
            finally:
                if not given_up.is_set():
                    watching.cancel()
    except BaseExceptionGroup as failed:
        raise first_error(failed) from None


async def revive(loan: Loan) -> None:
    """Nothing of ours is left with it: the next peering is not one with the dead."""
    with suppress(NotFound):
        await declare(loan.consumer.cluster, Key("", loan.provider_id), dead=False)


def _is_silent(provider: ForeignCluster) -> bool:
    said = provider.status.conditions if provider.status is not None else ()
    known = conditions.find(said, "APIServerStatus")
    return known is not None and known.status == "Error"


def _server(provider: ForeignCluster) -> str:
    return (provider.status.api_server_url if provider.status is not None else "") or "its address"
