"""What each module of a peering says of itself: networking, authentication, offloading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from liqo.api import labels
from liqo.api.authentication import Identity, Tenant
from liqo.api.core import ConditionType, ForeignClusterCondition
from liqo.api.kubernetes import Deployment, Pod
from liqo.api.meta import Key
from liqo.api.networking.gateway import GatewayClient, GatewayServer
from liqo.api.offloading import VirtualNode
from liqo.peering.foreigncluster import sentences
from liqo.peering.foreigncluster.peer import Network, Peer
from liqo.rules import certificates
from liqo.rules.readiness import is_ready

CONNECTIONS = {"Connected": sentences.CONNECTED, "Connecting": sentences.CONNECTING}


def networking(network: Network) -> Iterator[ForeignClusterCondition]:
    there = network.configuration is not None
    yield sentences.CONFIGURATION_PRESENT if there else sentences.CONFIGURATION_MISSING
    there = network.server is not None or network.client is not None
    yield sentences.GATEWAY_PRESENT if there else sentences.GATEWAY_MISSING
    if network.server is not None:
        yield _gateway("NetworkGatewayServerStatus", network.server, network.gateways)
    if network.client is not None:
        yield _gateway("NetworkGatewayClientStatus", network.client, network.gateways)
    if network.connection is None:
        yield sentences.CONNECTION_MISSING
    else:
        yield CONNECTIONS.get(network.connection.status.value, sentences.CONNECTION_ERROR)


def authentication(peer: Peer, now: datetime) -> Iterator[ForeignClusterCondition]:
    if peer.tenant is not None:
        ready = _is_configured(peer.tenant)
        yield sentences.TENANT_READY if ready else sentences.TENANT_NOT_READY
    if peer.identity is not None:
        yield _identity(peer.identity, now)


def offloading(peer: Peer) -> Iterator[ForeignClusterCondition]:
    running = sum(_is_running(each, peer.kubelets) for each in peer.virtual_nodes)
    yield sentences.virtual_nodes(running, len(peer.virtual_nodes))
    wanted = sum(each.spec.create_node is not False for each in peer.virtual_nodes)
    yield sentences.nodes(sum(map(is_ready, peer.nodes)), wanted)


def _gateway(
    about: ConditionType, gateway: GatewayServer | GatewayClient, deployed: Iterable[Deployment]
) -> ForeignClusterCondition:
    """A gateway whose Deployment is still to come has no replica that is ready."""
    key = Key(gateway.metadata.namespace, f"gw-{gateway.metadata.name}")
    status = next((each.status for each in deployed if each.key == key), {})
    ready, unavailable = status.get("readyReplicas", 0), status.get("unavailableReplicas", 0)
    return sentences.gateways(about, ready, unavailable)


def _identity(identity: Identity, now: datetime) -> ForeignClusterCondition:
    """R3: a certificate that has expired is renewed by nobody, for that needs the certificate."""
    if identity.status.kubeconfig_secret_ref is None:
        return sentences.IDENTITY_NOT_READY
    try:
        expired = certificates.expires_at(identity.spec.auth_params.signed_crt) <= now
    except ValueError:
        expired = False  # there is none, or none that we can read: another kind of credential
    return sentences.IDENTITY_EXPIRED if expired else sentences.IDENTITY_READY


def _is_configured(tenant: Tenant) -> bool:
    admitted = tenant.status.auth_params is not None
    trusted = tenant.spec.authz_policy == "TolerateNoHandshake"
    return bool(tenant.status.tenant_namespace) and (admitted or trusted)


def _is_running(node: VirtualNode, kubelets: Iterable[Pod]) -> bool:
    """One without pods counts as running: nothing of it is broken."""
    its = [pod for pod in kubelets if pod.metadata.namespace == node.metadata.namespace]
    name = node.metadata.name
    return all(is_ready(pod) for pod in its if pod.metadata.labels.get(labels.VIRTUAL_NODE) == name)
