"""Another cluster, and how things stand with it: core.liqo.io."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

import msgspec

from liqo.api.meta import Kind, Model, Resource
from liqo.api.schema import AGE, CRD, Column, immutable, wire
from liqo.api.values import ClusterID, Int64, Time

Role: TypeAlias = Literal["Consumer", "Provider", "ConsumerAndProvider", "Unknown"]
ConditionStatus: TypeAlias = Literal[
    "None", "Pending", "Established", "Error", "Ready", "NotReady", "SomeNotReady"
]
ConditionType: TypeAlias = Literal[
    "APIServerStatus",
    "NetworkConnectionStatus",
    "NetworkGatewayServerStatus",
    "NetworkGatewayClientStatus",
    "NetworkGatewayPresence",
    "NetworkConfigurationStatus",
    "AuthIdentityControlPlaneStatus",
    "AuthTenantStatus",
    "OffloadingVirtualNodeStatus",
    "OffloadingNodeStatus",
]
PeeringType: TypeAlias = Literal["OutOfBand", "InBand"]
PeeringStatus: TypeAlias = Literal["None", "Pending", "Established", "Error", "Disabled"]


class ForeignClusterSpec(Model, frozen=True):
    cluster_id: Annotated[ClusterID, immutable("ClusterID field")]


class ForeignClusterCondition(Model, frozen=True):
    type: ConditionType
    status: Annotated[ConditionStatus, wire(default="None")]
    last_transition_time: Time | None = None
    reason: str = ""
    message: str = ""


class Module(Model, frozen=True):
    enabled: bool
    conditions: tuple[ForeignClusterCondition, ...] = ()


class Modules(Model, frozen=True):
    networking: Module
    authentication: Module
    offloading: Module


class TenantNamespaces(Model, frozen=True):
    """Where the two clusters keep what they share, here and there."""

    local: str = ""
    remote: str = ""


class PeeringSummary(Model, frozen=True):
    """The peering in five words, for people. Ours alone: the wire has no such field."""

    type: PeeringType
    outgoing: PeeringStatus
    incoming: PeeringStatus
    networking: PeeringStatus
    authentication: PeeringStatus


class ForeignClusterStatus(Model, frozen=True):
    role: Annotated[Role, wire(default="Unknown")]
    modules: Modules | None = None
    conditions: tuple[ForeignClusterCondition, ...] = ()
    tenant_namespace: TenantNamespaces | None = None
    api_server_url: str = msgspec.field(default="", name="apiServerUrl")
    foreign_proxy_url: str = msgspec.field(default="", name="foreignProxyUrl")
    peering: PeeringSummary | None = None
    observed_generation: Int64 = 0


class ForeignCluster(Resource, frozen=True):
    """A summary for people, written by us, read by everybody."""

    KIND: ClassVar = Kind(
        "core.liqo.io", "v1beta1", "ForeignCluster", "foreignclusters", namespaced=False
    )

    spec: ForeignClusterSpec
    status: ForeignClusterStatus | None = None


CRDS = (
    CRD(
        ForeignCluster,
        short_names=("fc",),
        columns=(
            Column("Type", ".status.peering.type"),
            Column("Outgoing Peering", ".status.peering.outgoing"),
            Column("Incoming Peering", ".status.peering.incoming"),
            Column("Networking", ".status.peering.networking"),
            Column("Authentication", ".status.peering.authentication"),
            Column("Role", ".status.role", priority=1),
            Column("ClusterID", ".spec.clusterID", priority=1),
            AGE,
        ),
    ),
)
