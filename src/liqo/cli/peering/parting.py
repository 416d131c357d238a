"""The end of a peering: in the reverse order, so that each side can still let go of the other."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from liqo.api import labels
from liqo.api.authentication import Identity, Renew, ResourceSlice, Tenant
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key, Resource
from liqo.api.offloading import NamespaceMap, VirtualNode
from liqo.cli.peering import namespaces, tenants
from liqo.cli.peering.sides import Loan, Pair, Side
from liqo.cli.running import together
from liqo.errors import LiqoError
from liqo.kube.errors import Forbidden, NotFound
from liqo.kube.paths import Scope, named
from liqo.kube.reading import Metadata, metadata
from liqo.kube.waiting import absent
from liqo.rules import names

Dropped: TypeAlias = tuple[type[Resource], Key]
"""What stands for a credential: of which kind, and where."""


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


async def drop_identity(loan: Loan, here: str, *, wait: bool) -> None:
    consumer, name = loan.consumer, names.controlplane_identity(loan.provider_id)
    with consumer.out.step("Deleting identity control plane"):
        there = bool(here) and await _drop_credentials(loan, here)
        if here and wait:
            async with loan.deadline.waiting(
                f'the end of the Identity "{here}/{name}" of {consumer.cluster.name}, with its '
                "Renew and its kubeconfig"
            ):
                await _forgotten(loan, here)
    consumer.out.info(
        "Identity control plane correctly deleted"
        if there
        else "Identity control plane already deleted"
    )


def credentials_of(provider: str, namespace: str) -> Scope:
    """The kubeconfigs of its control plane, whoever made them; their names may be any."""
    marks = f"{labels.IDENTITY_TYPE}=ControlPlane,{labels.REMOTE_CLUSTER_ID}={provider}"
    return Scope(namespace=namespace, labels=marks)


def to_drop(kubeconfig: Metadata) -> Dropped:
    """
    kubeconfig           | what is deleted
    ---------------------+------------------------------------------------------------
    owned by an Identity | the Identity, whatever its name: the Secret goes with it
    made by hand         | the Secret itself: nobody else would, and we would still peer
    """
    key = kubeconfig.key
    for owner in kubeconfig.metadata.owner_references:
        if owner.kind == Identity.KIND.name:
            return Identity, Key(key.namespace, owner.name)
    return Secret, key


async def drop_tenant(pair: Pair, there: str, *, wait: bool) -> None:
    provider = pair.provider
    with provider.out.step("Deleting tenant"):
        found = await tenants.find(provider, there, pair.consumer.id) if there else []
        for tenant in found:
            await provider.remove(Tenant, tenant.key)
        for tenant in found if wait else ():
            async with pair.deadline.waiting(
                f'the end of the Tenant "{tenant.key}" of {provider.cluster.name}'
            ):
                await absent(provider.cluster, metadata(Tenant), named(tenant.key))
    provider.out.info("Tenant correctly deleted" if found else "Tenant already deleted")


async def copies_gone(pair: Pair, there: str) -> None:
    """What our controllers could not take back went with the Tenant, in the provider's own time."""
    provider, whose = pair.provider, pair.consumer.id
    scope = Scope(there, f"{labels.ORIGIN_ID}={whose},{labels.REPLICATED}=true")
    text = "Waiting for the provider to take everything back"
    with provider.out.step(text, "Everything taken back by the provider"):
        for kind in (ResourceSlice, NamespaceMap, Renew):
            async with pair.deadline.waiting(
                f'the end of every {kind.KIND.name} of "{whose}" in {provider.cluster.name}'
            ):
                with suppress(Forbidden):  # a peering user does not see them
                    await absent(provider.cluster, metadata(kind), scope)


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


async def _drop_credentials(loan: Loan, here: str) -> bool:
    """False if there were none."""
    consumer, provider = loan.consumer, loan.provider_id
    usual: Dropped = (Identity, Key(here, names.controlplane_identity(provider)))
    kubeconfigs = await find_all(consumer, Secret, credentials_of(provider, here))
    wanted = dict.fromkeys((usual, *map(to_drop, kubeconfigs)))
    return any([await consumer.remove(kind, key) for kind, key in wanted])


async def _forgotten(loan: Loan, here: str) -> None:
    cluster, key = loan.consumer.cluster, Key(here, names.controlplane_identity(loan.provider_id))
    await absent(cluster, metadata(Identity), named(key))
    await together(
        absent(cluster, metadata(Renew), named(key)),
        absent(cluster, metadata(Secret), credentials_of(loan.provider_id, here)),
    )
