"""All that a report needs, asked for at once; what a cluster does not have is empty."""

from __future__ import annotations

from asyncio import Task, TaskGroup
from dataclasses import dataclass

from liqo.api import labels
from liqo.api.authentication import Identity, ResourceSlice
from liqo.api.core import ForeignCluster
from liqo.api.ipam import Network
from liqo.api.kubernetes import ConfigMap, Deployment, EndpointSlice, Namespace, Node, Pod
from liqo.api.meta import Key
from liqo.api.networking.configuration import Configuration
from liqo.api.networking.gateway import GatewayClient, GatewayServer
from liqo.api.offloading import NamespaceOffloading, VirtualNode
from liqo.cli.installation import CLUSTER_ID
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Forbidden, NotFound
from liqo.kube.http import Limits
from liqo.kube.paths import EVERYTHING, Scope
from liqo.kube.reading import O, metadata
from liqo.provider.access import CONTROL_PLANE, ENDPOINTS

OF_PEERS = Scope(labels=labels.REMOTE_CLUSTER_ID)
IMPATIENT = Limits(connect=5.0, answer=10.0, silence=10.0, patience=5.0)
"""Somebody waits for the answer: better a clear no after seconds than a yes after a minute."""


@dataclass(frozen=True)
class Local:
    """An installation, and whom it knows."""

    namespace: str
    ids: tuple[ConfigMap, ...] = ()
    deployments: tuple[Deployment, ...] = ()
    pods: tuple[Pod, ...] = ()
    networks: tuple[Network, ...] = ()
    control_planes: tuple[Node, ...] = ()
    endpoints: tuple[EndpointSlice, ...] = ()
    peers: tuple[ForeignCluster, ...] = ()
    offloadings: tuple[NamespaceOffloading, ...] = ()
    refused: tuple[str, ...] = ()


@dataclass(frozen=True)
class Peers:
    """What an installation has in common with others."""

    peers: tuple[ForeignCluster, ...] = ()
    slices: tuple[ResourceSlice, ...] = ()
    virtual_nodes: tuple[VirtualNode, ...] = ()
    identities: tuple[Identity, ...] = ()
    configurations: tuple[Configuration, ...] = ()
    servers: tuple[GatewayServer, ...] = ()
    clients: tuple[GatewayClient, ...] = ()
    refused: tuple[str, ...] = ()


async def local(cluster: Cluster, namespace: str) -> Local:
    inside = Scope(namespace=namespace)
    async with TaskGroup() as group:
        look = Look(cluster, group)
        look.for_installation(namespace)
        ids = look.at(ConfigMap, Scope(namespace=namespace, labels=CLUSTER_ID.labels))
        deployments = look.at(Deployment, inside)
        pods = look.at(Pod, inside)
        networks = look.at(Network, Scope(labels=labels.NETWORK_TYPE))
        nodes = [look.at(Node, role) for role in CONTROL_PLANE]
        endpoints = look.at(EndpointSlice, ENDPOINTS)
        known = look.at(ForeignCluster)
        offloadings = look.at(NamespaceOffloading)
    if not ids.result() and not deployments.result() and not look.refused:
        raise not_installed(namespace)
    return Local(
        namespace=namespace,
        ids=ids.result(),
        deployments=deployments.result(),
        pods=pods.result(),
        networks=networks.result(),
        control_planes=next(filter(None, (each.result() for each in nodes)), ()),
        endpoints=endpoints.result(),
        peers=known.result(),
        offloadings=offloadings.result(),
        refused=tuple(look.refused),
    )


async def peers(cluster: Cluster, namespace: str) -> Peers:
    async with TaskGroup() as group:
        look = Look(cluster, group)
        look.for_installation(namespace)
        known = look.at(ForeignCluster)
        slices = look.at(ResourceSlice, OF_PEERS)
        virtual_nodes = look.at(VirtualNode, OF_PEERS)
        identities = look.at(Identity, OF_PEERS)
        configurations = look.at(Configuration, OF_PEERS)
        servers = look.at(GatewayServer, OF_PEERS)
        clients = look.at(GatewayClient, OF_PEERS)
    return Peers(
        peers=known.result(),
        slices=slices.result(),
        virtual_nodes=virtual_nodes.result(),
        identities=identities.result(),
        configurations=configurations.result(),
        servers=servers.result(),
        clients=clients.result(),
        refused=tuple(look.refused),
    )


class Look:
    """Several lists side by side. A kind that is not served has no objects; a refusal is kept."""

    def __init__(self, cluster: Cluster, group: TaskGroup) -> None:
        self.refused: list[str] = []
        self._cluster = cluster
        self._group = group

    def at(self, kind: type[O], scope: Scope = EVERYTHING) -> Task[tuple[O, ...]]:
        return self._group.create_task(self._list(kind, scope))

    def for_installation(self, namespace: str) -> None:
        self._group.create_task(self._exists(namespace))

    async def _list(self, kind: type[O], scope: Scope) -> tuple[O, ...]:
        try:
            listing = await self._cluster.list(kind, scope=scope)
        except NotFound:
            return ()
        except Forbidden as no:
            self.refused.append(f"unable to list {kind.KIND.plural}: {no}")
            return ()
        return tuple(sorted(listing.items, key=lambda found: found.key))

    async def _exists(self, namespace: str) -> None:
        try:
            await self._cluster.get(metadata(Namespace), Key("", namespace))
        except NotFound:
            raise not_installed(namespace) from None
        except Forbidden:
            return  # whoever may not look at namespaces sees the rest, or is told of that


def not_installed(namespace: str) -> LiqoError:
    return LiqoError(
        "Liqo is not installed in the current cluster! "
        f'It is not in the namespace "{namespace}": install it with: liqoctl install, '
        "or say where it is with --namespace"
    )
