"""Every condition that a ForeignCluster can have, in the words that the wire fixes."""

from __future__ import annotations

from liqo.api.core import ConditionStatus, ConditionType, ForeignClusterCondition


def _says(
    about: ConditionType, status: ConditionStatus, reason: str, message: str
) -> ForeignClusterCondition:
    return ForeignClusterCondition(type=about, status=status, reason=reason, message=message)


API_SERVER_READY = _says(
    "APIServerStatus",
    "Established",
    "APIServerReady",
    "The foreign cluster API Server is ready",
)
API_SERVER_NOT_READY = _says(
    "APIServerStatus",
    "Error",
    "APIServerNotReady",
    "The foreign cluster API Server is not ready",
)

CONFIGURATION_PRESENT = _says(
    "NetworkConfigurationStatus",
    "Ready",
    "NetworkConfigurationPresence",
    "The network configuration of the peer cluster is present",
)
CONFIGURATION_MISSING = _says(
    "NetworkConfigurationStatus",
    "NotReady",
    "NetworkConfigurationMissing",
    "The network configuration for the connection with the foreign cluster is missing",
)
GATEWAY_PRESENT = _says(
    "NetworkGatewayPresence",
    "Ready",
    "GatewayPresence",
    "There is a gateway connecting to the foreign cluster",
)
GATEWAY_MISSING = _says(
    "NetworkGatewayPresence",
    "NotReady",
    "GatewayMissing",
    "The gateway resource connecting to the foreign cluster is missing",
)
CONNECTED = _says(
    "NetworkConnectionStatus",
    "Established",
    "ConnectionEstablished",
    "The network connection with the foreign cluster is established",
)
CONNECTING = _says(
    "NetworkConnectionStatus",
    "Pending",
    "ConnectionPending",
    "The network connection with the foreign cluster is connecting",
)
CONNECTION_ERROR = _says(
    "NetworkConnectionStatus",
    "Error",
    "ConnectionError",
    "The network connection with the foreign cluster is in error",
)
CONNECTION_MISSING = _says(
    "NetworkConnectionStatus",
    "NotReady",
    "ConnectionMissing",
    "There is no network connection with the foreign cluster",
)

TENANT_READY = _says(
    "AuthTenantStatus", "Ready", "TenantReady", "The tenant has been successfully configured"
)
TENANT_NOT_READY = _says(
    "AuthTenantStatus", "NotReady", "TenantNotReady", "The tenant is not correctly configured"
)
IDENTITY_READY = _says(
    "AuthIdentityControlPlaneStatus",
    "Ready",
    "IdentityReady",
    "The identity has been successfully configured",
)
IDENTITY_NOT_READY = _says(
    "AuthIdentityControlPlaneStatus",
    "NotReady",
    "IdentityNotReady",
    "The identity is not correctly configured",
)
IDENTITY_EXPIRED = _says(
    "AuthIdentityControlPlaneStatus",
    "NotReady",
    "IdentityNotReady",
    "The certificate of the identity has expired: run liqoctl authenticate, or peer, again",
)


def gateways(about: ConditionType, ready: int, unavailable: int) -> ForeignClusterCondition:
    if not ready:
        return _says(about, "NotReady", "GatewaysNotReady", "All gateway replicas are not ready")
    if unavailable:
        return _says(
            about, "SomeNotReady", "GatewaysSomeNotReady", "Some gateway replicas are not ready"
        )
    return _says(about, "Ready", "GatewaysReady", "All gateway replicas are ready")


def virtual_nodes(ready: int, wanted: int) -> ForeignClusterCondition:
    return _counted("OffloadingVirtualNodeStatus", "VirtualNodes", "virtual nodes", ready, wanted)


def nodes(ready: int, wanted: int) -> ForeignClusterCondition:
    return _counted("OffloadingNodeStatus", "Nodes", "nodes", ready, wanted)


def _counted(
    about: ConditionType, word: str, things: str, ready: int, wanted: int
) -> ForeignClusterCondition:
    if ready == wanted:
        return _says(about, "Ready", f"{word}Ready", f"All {things} are ready")
    if ready:
        return _says(about, "SomeNotReady", f"{word}SomeNotReady", f"Some {things} are not ready")
    return _says(about, "NotReady", f"{word}NotReady", f"All {things} are not ready")
