"""The last of a peering: its tenant namespaces, and with them all that was in them."""

from __future__ import annotations

from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Namespace
from liqo.api.meta import Key
from liqo.cli.peering.parting import Places, of_peer
from liqo.cli.peering.sides import Pair, Side
from liqo.cli.running import together
from liqo.kube.errors import Forbidden
from liqo.kube.paths import named
from liqo.kube.reading import metadata
from liqo.kube.waiting import absent

DELETING = ("Deleting tenant namespace", "Tenant namespace deleted")
WAITING = ("Waiting for tenant namespace to be deleted", "Ensured tenant namespace absence")


async def delete_namespaces(pair: Pair, where: Places, *, wait: bool) -> None:
    consumer, provider = pair.consumer, pair.provider
    with consumer.out.step(*DELETING):
        _, is_ours = await together(deleted(consumer, where.here), deleted(provider, where.there))
    if is_ours:
        with provider.out.step(*DELETING):
            pass  # beside the first
    if not wait:
        return
    with consumer.out.step(*WAITING):
        async with pair.deadline.waiting(
            f'the end of the tenant namespaces "{where.here}" of {consumer.cluster.name} and '
            f'"{where.there}" of {provider.cluster.name}'
        ):
            gone_there = gone(provider, where.there if is_ours else "", consumer.id)
            await together(gone(consumer, where.here, provider.id), gone_there)
    if is_ours:
        with provider.out.step(*WAITING):
            pass


async def deleted(side: Side, name: str) -> bool:
    """False if this user may not."""
    try:
        if name:
            await side.remove(Namespace, Key("", name))
    except Forbidden:
        side.out.warning(
            f'this user may not delete the tenant namespace "{name}" of {side.cluster.name}: its '
            f"administrator does it with: kubectl delete namespace {name}"
        )
        return False
    return True


async def gone(side: Side, name: str, peer: str) -> None:
    """And the summary of the peer, which our controllers keep while there is anything of it."""
    if name:
        await absent(side.cluster, metadata(Namespace), named(Key("", name)))
        await absent(side.cluster, metadata(ForeignCluster), of_peer(peer))
