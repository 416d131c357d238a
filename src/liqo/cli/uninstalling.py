"""Everything that install made goes; with a purge also what it knew."""

from __future__ import annotations

import asyncio

from liqo.cli.call import Call, at_most
from liqo.cli.peering import tombstones
from liqo.errors import LiqoError
from liqo.install import obstacles, removal
from liqo.install.surroundings import installed_elsewhere, known_as
from liqo.kube.cluster import Cluster

EXPLAINING = 10.0  # seconds, after a time-out, to see what is left


async def uninstall(call: Call, liqo_namespace: str, timeout: float, *, purge: bool) -> None:
    async with call.cluster() as cluster:
        try:
            async with asyncio.timeout(timeout):
                await check(call, cluster, liqo_namespace)
                await warn_of_the_unheard(call, cluster, liqo_namespace, purge=purge)
                await remove(call, cluster, liqo_namespace, purge=purge)
        except TimeoutError:
            async with at_most(EXPLAINING, "the API server does not answer"):
                left = await removal.left(cluster, liqo_namespace)
            raise LiqoError(
                f"timed out waiting for the condition: still there: {left} (waited {timeout:g} s)"
            ) from None


async def remove(call: Call, cluster: Cluster, namespace: str, *, purge: bool) -> None:
    with call.out.step("Uninstalling Liqo", "Liqo uninstalled"):
        await removal.uninstall(cluster, namespace)
    if not purge:
        return
    with call.out.step("Purging Liqo CRDs", "Liqo CRDs purged"):
        await removal.purge_definitions(cluster)
    with call.out.step("Deleting Liqo namespaces", "Liqo namespaces deleted"):
        await removal.purge_namespaces(cluster, namespace)


async def check(call: Call, cluster: Cluster, namespace: str) -> None:
    """Refuse before anything is changed."""
    with call.out.step("Running pre-uninstall checks"):
        found = obstacles.obstacles(await obstacles.look(cluster))
        elsewhere = await installed_elsewhere(cluster, namespace)
    if found:
        *before, last = obstacles.sentences(found)
        for sentence in before:
            call.out.error(sentence)
        raise LiqoError(last)
    if elsewhere:
        raise LiqoError(
            "cluster-wide resources are still present - did you specify the right namespace? "
            f"Liqo is installed in: {elsewhere}"
        )
    call.out.info("Pre-uninstall checks passed")


async def warn_of_the_unheard(call: Call, cluster: Cluster, namespace: str, *, purge: bool) -> None:
    """Who would be told that this cluster left is told by the controllers, which go now."""
    if unheard := await tombstones.pending(cluster, namespace):
        consumer, _ = await known_as(cluster, namespace)
        call.out.warning(tombstones.unheard_of(unheard, consumer, purge=purge))
