"""A peer: all that there is of one other cluster in this one, gathered from the caches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from liqo.api import labels
from liqo.api.authentication import Identity, Tenant
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Deployment, Node, Pod, Secret
from liqo.api.meta import Key, Resource
from liqo.api.networking.configuration import Configuration, Connection
from liqo.api.networking.gateway import GatewayClient, GatewayServer
from liqo.api.offloading import VirtualNode
from liqo.kube.cache import Caches
from liqo.kube.copy import Copy
from liqo.kube.indexes import Label
from liqo.kube.paths import Scope
from liqo.runtime.controller import KeysOf
from liqo.runtime.sights import VIRTUAL_NODES
from liqo.runtime.tenants import secrets, tenant_namespaces

R = TypeVar("R", bound=Resource)

KUBELETS = Scope(labels=f"{labels.OFFLOADING_COMPONENT}=virtual-kubelet")
GATEWAYS = Scope(labels=f"{labels.NETWORKING_COMPONENT}=gateway")


@dataclass(frozen=True)
class Network:
    """The line to a peer, as far as it exists."""

    configuration: Configuration | None = None
    server: GatewayServer | None = None
    client: GatewayClient | None = None
    connection: Connection | None = None
    gateways: tuple[Deployment, ...] = ()

    @property
    def is_there(self) -> bool:
        return any((self.configuration, self.server, self.client, self.connection))


@dataclass(frozen=True)
class Peer:
    cluster_id: str
    tenant: Tenant | None = None
    identity: Identity | None = None  # of its control plane
    kubeconfig: Secret | None = None  # of its control plane; may be there without an Identity
    virtual_nodes: tuple[VirtualNode, ...] = ()
    kubelets: tuple[Pod, ...] = ()
    nodes: tuple[Node, ...] = ()
    network: Network = Network()
    namespaces: tuple[str, ...] = ()  # that are labelled as those of this peer; one is enough

    @property
    def is_consumer(self) -> bool:
        return self.tenant is not None

    @property
    def is_provider(self) -> bool:
        return any((self.identity, self.kubeconfig, self.virtual_nodes))

    @property
    def is_there(self) -> bool:
        return self.is_consumer or self.is_provider or bool(self.nodes) or self.network.is_there


def watches(here: Caches, *, networking: bool) -> Mapping[Copy[Any], KeysOf]:
    """Where something of a peer may change; without the network module, fewer places."""
    caches: list[Copy[Any]] = [
        here.of(Tenant),
        here.of(Identity),
        secrets(here),
        here.of(VirtualNode),
        here.of(Node, VIRTUAL_NODES),
        here.of(Pod, KUBELETS),
        tenant_namespaces(here),
    ]
    if networking:
        caches += [here.of(kind) for kind in (Configuration, Connection)]
        caches += [here.of(kind) for kind in (GatewayServer, GatewayClient)]
        caches.append(here.of(Deployment, GATEWAYS))
    return {**dict.fromkeys(caches, whose), here.of(ForeignCluster): _itself}


def whose(thing: Resource) -> Iterable[Key]:
    cluster_id = thing.metadata.labels.get(labels.REMOTE_CLUSTER_ID)
    return (Key("", cluster_id),) if cluster_id else ()


def gather(here: Caches, cluster_id: str, *, networking: bool) -> Peer:
    identities = _of(here.of(Identity), cluster_id)
    kubeconfigs = _of(secrets(here), cluster_id)
    homes = _of(tenant_namespaces(here), cluster_id)
    return Peer(
        cluster_id,
        tenant=_first(_of(here.of(Tenant), cluster_id)),
        identity=_first(each for each in identities if each.spec.type == "ControlPlane"),
        kubeconfig=_first(each for each in kubeconfigs if _is_control_plane(each)),
        virtual_nodes=_of(here.of(VirtualNode), cluster_id),
        kubelets=_of(here.of(Pod, KUBELETS), cluster_id),
        nodes=_of(here.of(Node, VIRTUAL_NODES), cluster_id),
        network=_network(here, cluster_id) if networking else Network(),
        namespaces=tuple(sorted(each.metadata.name for each in homes)),
    )


def oldest(here: Caches, cluster_id: str) -> ForeignCluster | None:
    """Of several that stand for one cluster, the one that counts."""
    return _first(_of(here.of(ForeignCluster), cluster_id))


def _network(here: Caches, cluster_id: str) -> Network:
    return Network(
        configuration=_first(_of(here.of(Configuration), cluster_id)),
        server=_first(_of(here.of(GatewayServer), cluster_id)),
        client=_first(_of(here.of(GatewayClient), cluster_id)),
        connection=_first(_of(here.of(Connection), cluster_id)),
        gateways=_of(here.of(Deployment, GATEWAYS), cluster_id),
    )


def _itself(cluster: ForeignCluster) -> Iterable[Key]:
    return (Key("", cluster.spec.cluster_id),)


def _of(cache: Copy[R], cluster_id: str) -> tuple[R, ...]:
    return tuple(cache.by(Label(labels.REMOTE_CLUSTER_ID), cluster_id))


def _first(found: Iterable[R]) -> R | None:
    """The oldest."""
    return min(found, key=lambda each: each.metadata.creation_timestamp or "", default=None)


def _is_control_plane(kubeconfig: Secret) -> bool:
    return kubeconfig.metadata.labels.get(labels.IDENTITY_TYPE) == "ControlPlane"
