"""A consumer leaves with nothing but its own cluster at hand; its provider learns of it later."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from liqo.api import labels
from liqo.api.authentication import Tenant
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key
from liqo.cli import installation
from liqo.cli.installation import Installation
from liqo.cli.output import Output
from liqo.cli.peering import disconnecting, namespaces, parting, tombstones
from liqo.cli.peering.forgetting import declare
from liqo.cli.peering.parting import find_all
from liqo.cli.peering.remains import Remains, farewell, remains
from liqo.cli.peering.removal import DELETING, WAITING, deleted, gone
from liqo.cli.peering.sides import Loan, Side
from liqo.cli.peering.silence import attentive, silent_at
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Misconfigured, Unreachable
from liqo.kube.kubeconfig import from_secret
from liqo.kube.paths import Scope

ANSWER = 8.0  # seconds for a provider to answer, before it counts as dead
WITHOUT_IT = 30.0  # seconds in which a provider that does not answer is left, those included


@dataclass(frozen=True)
class Manner:
    """How one leaves."""

    is_dead: bool  # the provider: nothing waits for it
    delete_namespace: bool
    wait: bool = True


async def answering(cluster: Cluster, namespace: str) -> Installation | None:
    """None: nobody answers there."""
    try:
        async with asyncio.timeout(ANSWER):
            return await installation.find(cluster, namespace, "--remote-namespace")
    except (TimeoutError, Unreachable):
        return None


@dataclass(frozen=True)
class Left:
    """Us, without our provider."""

    remains: Remains  # with it
    is_buried: bool  # a tombstone stands: it is told as soon as it answers


async def leave(loan: Loan, manner: Manner) -> Left:
    consumer, provider = loan.consumer, loan.provider_id
    here = await namespaces.find_name(consumer.cluster, provider)
    left = Left(await remains(loan, here), await tombstones.erect(consumer, provider, here))
    if manner.is_dead and await consumer.find(ForeignCluster, Key("", provider)) is not None:
        await declare(consumer.cluster, Key("", provider), dead=True)
    await parting.return_what_was_lent(loan, wait=manner.wait)
    await parting.no_slices_left(loan, tolerate=not manner.wait)
    await parting.drop_identity(loan, here, wait=manner.wait)
    if not await parting.is_mutual(consumer, provider):
        await disconnecting.reset_here(consumer, provider)
    if manner.delete_namespace and here:
        await _delete_namespace(loan, here, wait=manner.wait)
    return left


async def leave_unheard(out: Output, loan: Loan, server: str, manner: Manner) -> None:
    """As `leave`, of a provider that does not answer there; what stays with it is told."""
    out.warning(
        f'the provider "{loan.provider_id}" does not answer at {server}: it is left without its '
        f"help, which takes {loan.deadline.seconds:g} s at the most"
    )
    left = await leave(loan, manner)
    out.warning(farewell(left.remains, is_buried=left.is_buried))


async def leave_attentively(out: Output, loan: Loan, manner: Manner) -> tuple[Left, bool]:
    """As `leave`; a provider that falls silent meanwhile is declared dead, and True given back."""

    def tell(server: str) -> None:
        out.warning(f'the provider "{loan.provider_id}" does not answer at {server} any more')

    async with attentive(loan, tell) as given_up:
        left = await leave(loan, manner)
    return left, given_up.is_set()


async def _delete_namespace(loan: Loan, here: str, *, wait: bool) -> None:
    consumer = loan.consumer
    with consumer.out.step(*DELETING):
        await deleted(consumer, here)
    if wait:
        with consumer.out.step(*WAITING):
            async with loan.deadline.waiting(
                f'the end of the tenant namespace "{here}" of {consumer.cluster.name}'
            ):
                await gone(consumer, here, loan.provider_id)


async def provider_at(consumer: Side, server: str) -> str:
    """Which provider that is, which cannot be asked: the one our credentials for it are of.

    An address that we do not know may be another one of our only provider, if that is silent too.
    """
    known = await _servers(consumer)
    there = {provider for provider, place in known if place == _place(server)}
    chosen = there or {provider for provider, _ in known}
    if len(chosen) == 1:
        [only] = chosen
        if there or await silent_at(consumer, only):
            return only
    several = ", ".join(sorted(chosen)) or "none at all"
    raise LiqoError(
        f"{server} does not answer, and which provider it is cannot be told from here (known: "
        f"{several}); name it with: liqoctl unpeer out-of-band NAME"
    )


async def _servers(consumer: Side) -> set[tuple[str, tuple[str, int]]]:
    """Of every provider that we have a kubeconfig for, be it that of a tombstone."""
    scope = Scope(labels=labels.REMOTE_CLUSTER_ID)
    known = set()
    for secret in (await consumer.cluster.list(Secret, scope=scope, resource_version="")).items:
        with suppress(Misconfigured):  # a nonce, for one
            place = _place(from_secret(secret).server)
            known.add((secret.metadata.labels[labels.REMOTE_CLUSTER_ID], place))
    return known


async def may_go(consumer: Side, provider: str) -> bool:
    """Whether its namespace here was made by `peer out-of-band`, and nobody borrows from us."""
    found = await namespaces.find(consumer.cluster, provider)
    if found is None or found.metadata.annotations.get(labels.OUT_OF_BAND) != "true":
        return False
    return not await find_all(consumer, Tenant, Scope(namespace=found.metadata.name))


def _place(server: str) -> tuple[str, int]:
    parts = urlsplit(server)
    return parts.hostname or "", parts.port or 443
