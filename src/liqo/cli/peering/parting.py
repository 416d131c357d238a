"""The end of a peering: in the reverse order, so that each side can still let go of the other."""

from __future__ import annotations

from dataclasses import dataclass

from liqo.api import labels
from liqo.api.authentication import Identity, Renew, ResourceSlice, Tenant
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key, Resource
from liqo.api.offloading import VirtualNode
from liqo.cli.peering import namespaces
from liqo.cli.peering.sides import Loan, Pair, Side
from liqo.cli.running import together
from liqo.errors import LiqoError
from liqo.kube.errors import Forbidden, NotFound
from liqo.kube.paths import Scope, named
from liqo.kube.reading import Metadata, metadata
from liqo.kube.waiting import absent
from liqo.rules import names


@dataclass(frozen=True)
class Lent:
    """A kind of thing that a consumer has of its provider, as the lines about it call it."""

    kind: type[Resource]
    plural: str
    words: str
    scope: Scope


def slices_for(provider: str) -> Scope:
    return Scope(labels=f"{labels.REPLICATION}=true,{labels.REMOTE_ID}={provider}")


def of_peer(peer: str, namespace: str = "") -> Scope:
    return Scope(namespace=namespace, labels=f"{labels.REMOTE_CLUSTER_ID}={peer}")


async def return_what_was_lent(loan: Loan, *, wait: bool) -> None:
    """A node goes with its slice, and may be gone when its turn comes: it is told all the same."""
    provider = loan.provider_id
    slices = Lent(ResourceSlice, "resourceslices", "resource slices", slices_for(provider))
    nodes = Lent(VirtualNode, "virtualnodes", "virtual nodes", of_peer(provider))
    before = await find_all(loan.consumer, nodes.kind, nodes.scope)
    await _return(loan, slices, wait=wait)
    await _return(loan, nodes, wait=wait, had=bool(before))


async def _return(loan: Loan, lent: Lent, *, wait: bool, had: bool = False) -> None:
    consumer = loan.consumer
    with consumer.out.step(f"Deleting {lent.plural}"):
        found = await remove_all(consumer, lent.kind, lent.scope)
    any_at_all = had or bool(found)
    consumer.out.info(f"All {lent.plural} deleted" if any_at_all else f"No {lent.plural} found")
    if not wait:
        return
    done = f"Ensured {lent.plural} absence"
    with consumer.out.step(f"Waiting for {lent.words} to be deleted", done):
        async with loan.deadline.waiting(
            f"the end of {', '.join(map(str, found))} in {consumer.cluster.name}"
        ):
            await absent(consumer.cluster, metadata(lent.kind), lent.scope)


@dataclass(frozen=True)
class Places:
    """The tenant namespaces of the two; empty where there is none."""

    here: str  # on the consumer
    there: str  # on the provider


async def places(pair: Pair) -> Places:
    here, there = await together(
        namespaces.find_name(pair.consumer.cluster, pair.provider.id),
        namespaces.find_name(pair.provider.cluster, pair.consumer.id),
    )
    return Places(here, there)


async def is_mutual(consumer: Side, provider: str) -> bool:
    """They borrow from each other."""
    listing = await consumer.cluster.list(ForeignCluster, scope=of_peer(provider))
    roles = {each.status.role for each in listing.items if each.status is not None}
    return "ConsumerAndProvider" in roles


async def no_slices_left(loan: Loan, *, tolerate: bool = False) -> None:
    """Tolerated are those whose end is not waited for."""
    consumer = loan.consumer
    with consumer.out.step("Checking for leftover ResourceSlices"):
        left = await find_all(consumer, ResourceSlice, slices_for(loan.provider_id))
    if left and not tolerate:
        which = ", ".join(str(each.key) for each in left)
        raise LiqoError(
            f"resourceslices are still present on consumer cluster: {which}; delete them first, "
            "or do it all with: liqoctl unpeer"
        )
    consumer.out.info("No leftover resourceslices on consumer cluster")


async def part(pair: Pair, where: Places, *, wait: bool) -> None:
    """R7: the consumer takes back what it asked for while it still has the right to."""
    await drop_identity(pair.loan, where.here, wait=wait)
    await drop_tenant(pair, where.there, wait=wait)


async def drop_identity(loan: Loan, here: str, *, wait: bool) -> None:
    consumer, name = loan.consumer, names.controlplane_identity(loan.provider_id)
    with consumer.out.step("Deleting identity control plane"):
        there = bool(here) and await consumer.remove(Identity, Key(here, name))
        if here and wait:
            async with loan.deadline.waiting(
                f'the end of the Identity "{here}/{name}" of {consumer.cluster.name}, with its '
                "Renew and its kubeconfig"
            ):
                await _forgotten(consumer, here, name)
    consumer.out.info(
        "Identity control plane correctly deleted"
        if there
        else "Identity control plane already deleted"
    )


async def drop_tenant(pair: Pair, there: str, *, wait: bool) -> None:
    provider, key = pair.provider, Key(there, pair.consumer.id)
    with provider.out.step("Deleting tenant"):
        found = bool(there) and await provider.remove(Tenant, key)
        if there and wait:
            async with pair.deadline.waiting(
                f'the end of the Tenant "{key}" of {provider.cluster.name}'
            ):
                await absent(provider.cluster, metadata(Tenant), named(key))
    provider.out.info("Tenant correctly deleted" if found else "Tenant already deleted")


async def remove_all(side: Side, kind: type[Resource], scope: Scope) -> list[Key]:
    """Those that were there."""
    found = await find_all(side, kind, scope)
    for each in found:
        await side.remove(kind, each.key)
    return [each.key for each in found]


async def find_all(side: Side, kind: type[Resource], scope: Scope) -> list[Metadata]:
    """None of a kind that the cluster does not know, or does not show us."""
    try:
        return (await side.cluster.list(metadata(kind), scope=scope, resource_version="")).items
    except (Forbidden, NotFound):
        return []


async def _forgotten(consumer: Side, here: str, name: str) -> None:
    secret = Key(here, names.kubeconfig_secret(name))
    await absent(consumer.cluster, metadata(Identity), named(Key(here, name)))
    await together(
        absent(consumer.cluster, metadata(Renew), named(Key(here, name))),
        absent(consumer.cluster, metadata(Secret), named(secret)),
    )
