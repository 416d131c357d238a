"""What there is of milan in rome, for the tests of its summary."""

from __future__ import annotations

from typing import Any

import msgspec

from liqo.api import labels
from liqo.api.authentication import (
    AuthParams,
    Identity,
    IdentitySpec,
    IdentityStatus,
    Tenant,
    TenantSpec,
    TenantStatus,
)
from liqo.api.kubernetes import Deployment, Node, Pod
from liqo.api.meta import JSON, Meta
from liqo.api.networking.configuration import (
    Configuration,
    Connection,
    ConnectionSpec,
    ConnectionStatus,
)
from liqo.api.networking.gateway import GatewayClient, GatewayServer
from liqo.api.offloading import VirtualNode, VirtualNodeSpec
from liqo.api.values import LocalReference, ObjectReference

SERVER = "https://10.200.0.12:6443"
NAMESPACE = "liqo-tenant-milan"


def meta(name: str = "milan", peer: str = "milan", **more: Any) -> Meta:
    marks = {labels.REMOTE_CLUSTER_ID: peer, **more.pop("labels", {})}
    given = {"namespace": NAMESPACE, "resource_version": "1", **more}
    return Meta(name=name, labels=marks, **given)


def raw(value: JSON) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def an_identity(**answer: Any) -> Identity:
    return Identity(
        metadata=meta("controlplane-milan"),
        spec=IdentitySpec(
            cluster_id="milan",
            type="ControlPlane",
            auth_params=AuthParams(api_server=SERVER, **answer),
            namespace="liqo-tenant-rome",
        ),
        status=IdentityStatus(
            kubeconfig_secret_ref=LocalReference(name="kubeconfig-controlplane-milan")
        ),
    )


def a_tenant(peer: str = "milan", **status: Any) -> Tenant:
    given = {"tenant_namespace": f"liqo-tenant-{peer}", "auth_params": AuthParams(), **status}
    return Tenant(
        metadata=meta(peer, peer, namespace=f"liqo-tenant-{peer}"),
        spec=TenantSpec(cluster_id=peer),
        status=TenantStatus(**given),
    )


def a_virtual_node(name: str = "milan", **spec: Any) -> VirtualNode:
    return VirtualNode(metadata=meta(name), spec=VirtualNodeSpec(cluster_id="milan", **spec))


def ready(is_ready: bool) -> msgspec.Raw:
    return raw({"conditions": [{"type": "Ready", "status": str(is_ready)}]})


def a_node(name: str = "milan", *, is_ready: bool = True) -> Node:
    return Node(metadata=meta(name, namespace=""), raw_status=ready(is_ready))


def a_kubelet(of: str = "milan", *, is_ready: bool = True) -> Pod:
    marks = {labels.VIRTUAL_NODE: of}
    return Pod(metadata=meta(f"vk-{of}-0", labels=marks), raw_status=ready(is_ready))


def a_configuration() -> Configuration:
    return Configuration(metadata=meta())


def a_server() -> GatewayServer:
    return GatewayServer(metadata=meta("south"))


def a_client() -> GatewayClient:
    return GatewayClient(metadata=meta("north"))


def a_deployment(name: str, **status: int) -> Deployment:
    return Deployment(metadata=meta(name), raw_status=raw(dict(status)))


def a_connection(value: str) -> Connection:
    return Connection(
        metadata=meta(),
        spec=ConnectionSpec(type="Client", gateway_ref=ObjectReference()),
        status=ConnectionStatus(value=value),
    )
