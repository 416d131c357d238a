"""Tenant namespaces: one for each peer, found by its labels; its name may be any."""

from __future__ import annotations

from collections.abc import Mapping

from liqo.api import labels
from liqo.api.kubernetes import Namespace
from liqo.api.meta import Key
from liqo.cli.objects import Stamp, tenant_namespace
from liqo.cli.peering.sides import Side
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Forbidden, NotFound
from liqo.kube.paths import Scope, named
from liqo.kube.waiting import absent
from liqo.rules import names, tenancy
from liqo.runtime.plan import Manifest

UNSAID = ("", "default")  # what kubectl means by a namespace that nobody chose


async def find(cluster: Cluster, peer: str) -> Namespace | None:
    """The tenant namespace of that peer. Who may not list them is shown the usual one."""
    if problem := names.check_cluster_id(peer):
        raise LiqoError(problem)
    try:
        return await _labelled(cluster, peer)
    except Forbidden:
        return await _usual(cluster, peer)


async def find_name(cluster: Cluster, peer: str) -> str:
    """Its name; empty where there is none."""
    found = await find(cluster, peer)
    return found.metadata.name if found is not None else ""


async def known(cluster: Cluster, peer: str, chosen: str = "") -> str:
    """Its name, which must be the chosen one if one was chosen."""
    name = await find_name(cluster, peer)
    if not name:
        raise LiqoError(
            f'Unable to get tenant namespace: tenant namespace not found for cluster "{peer}" in '
            f"{cluster.name}, {cluster.access.server}; peer with it first: liqoctl peer, or "
            "liqoctl authenticate"
        )
    if chosen not in UNSAID and chosen != name:
        raise LiqoError(
            f'the namespace "{chosen}" is not the tenant namespace of "{peer}": that is "{name}"; '
            "leave --namespace away"
        )
    return name


async def ensure(side: Side, peer: str, marks: Mapping[str, str] | None = None) -> str:
    """Its name; made if there is none, with these annotations, and after one that is ending."""
    try:
        there = await _labelled(side.cluster, peer)
    except Forbidden:
        side.out.warning(
            f"this user may not make namespaces in {side.cluster.name}: the tenant namespace that "
            "was made for it is used"
        )
        return (await _usual(side.cluster, peer)).metadata.name
    if there is not None and there.metadata.deletion_timestamp:
        await absent(side.cluster, Namespace, named(there.key))
        there = None
    if there is not None:
        return there.metadata.name
    wanted = Stamp(annotations=marks or {}).on(tenant_namespace(peer).body)
    return (await side.put(Manifest(Namespace.KIND, wanted), Namespace)).metadata.name


async def _labelled(cluster: Cluster, peer: str) -> Namespace | None:
    scope = Scope(labels=f"{labels.REMOTE_CLUSTER_ID}={peer},{labels.TENANT_NAMESPACE}")
    found = (await cluster.list(Namespace, scope=scope, resource_version="")).items
    if len(found) > 1:
        several = ", ".join(sorted(each.metadata.name for each in found))
        raise LiqoError(
            f"multiple tenant namespaces found for clusterid {peer} in {cluster.name}: {several}; "
            "delete those that hold nothing"
        )
    return found[0] if found else None


async def _usual(cluster: Cluster, peer: str) -> Namespace:
    """What a peering user may see: the namespace that was made for it."""
    name = names.tenant_namespace(peer)
    try:
        found = await cluster.get(Namespace, Key("", name))
    except (Forbidden, NotFound):
        found = None
    if found is None or not tenancy.is_tenant_namespace(found, peer):
        raise LiqoError(
            "namespace access is forbidden to current user and no tenant namespace with default "
            f'name has been created in advance: "{name}" of {cluster.name} is not there, or not '
            f"labelled for {peer}; its administrator makes it with: "
            f"liqoctl generate peering-user --consumer-cluster-id {peer}"
        )
    return found
