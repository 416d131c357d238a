"""A peer that is gone for good is forgotten: nothing waits for its answer any more."""

from __future__ import annotations

from liqo.api import labels
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Namespace
from liqo.api.meta import JSON, Key
from liqo.cli.call import Call, at_most
from liqo.cli.peering import namespaces
from liqo.cli.peering.parting import of_peer
from liqo.cli.writing import WRITER, remove
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.paths import named
from liqo.kube.reading import metadata
from liqo.kube.waiting import absent


async def forget(call: Call, cluster: Cluster, cluster_id: str, timeout: float) -> None:
    with call.out.step(
        "Retrieving info about the remote cluster",
        "Info about the remote cluster retrieved successfully",
    ):
        peer = await _peer(cluster, cluster_id)
    with call.out.step(
        "Declaring the foreign cluster as permanently unreachable",
        "Foreign cluster declared as permanently unreachable successfully",
    ):
        await declare(cluster, peer.key, dead=True)
    with call.out.step("Forcing unpeer", "Force unpeer executed successfully"):
        async with at_most(timeout, f"the end of everything of {cluster_id}"):
            await _delete_namespace(cluster, cluster_id)


async def declare(cluster: Cluster, peer: Key, *, dead: bool) -> None:
    """Who waits for an answer of a dead cluster waits no more."""
    marks = {labels.PERMANENTLY_UNREACHABLE: "true" if dead else None}
    change: JSON = {"metadata": {"annotations": marks}}
    await cluster.patch(ForeignCluster.KIND, peer, change, how="merge", manager=WRITER)


async def _peer(cluster: Cluster, cluster_id: str) -> ForeignCluster:
    found = await cluster.list(ForeignCluster, scope=of_peer(cluster_id))
    if not found.items:
        raise LiqoError(
            f"remote cluster with ID {cluster_id} not found in {cluster.name}; "
            "see the peers with: liqoctl info"
        )
    return found.items[0]


async def _delete_namespace(cluster: Cluster, cluster_id: str) -> None:
    namespace = await namespaces.find(cluster, cluster_id)
    if namespace is not None:
        key = Key("", namespace.metadata.name)
        await remove(cluster, Namespace.KIND, key)
        await absent(cluster, metadata(Namespace), named(key))
