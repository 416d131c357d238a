"""The two ends of the line between two clusters, whatever they are made of."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from liqo.api.meta import Kind, Model, Resource
from liqo.api.networking.group import GROUP, VERSION
from liqo.api.schema import AGE, CRD, Column, rules, wire
from liqo.api.values import Int32, IPv4, LocalReference, ObjectReference

Ports: TypeAlias = Annotated[tuple[Int32, ...], wire(maxItems=64)]
ServiceType: TypeAlias = Literal["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"]

PORT_OR_PORTS = (
    "!(has(self.port) && has(self.ports))",
    "port and ports are mutually exclusive",
)
NODE_PORT_OR_NODE_PORTS = (
    "!(has(self.nodePort) && has(self.nodePorts))",
    "nodePort and nodePorts are mutually exclusive",
)
SOME_PORT = (
    "has(self.port) || (has(self.ports) && size(self.ports) > 0)",
    "at least one of port or ports must be set",
)
DIFFERENT_PORTS = (
    "!(has(self.ports)) || self.ports.all(p, self.ports.filter(q, q == p).size() == 1)",
    "ports must not contain duplicates",
)
DIFFERENT_NODE_PORTS = (
    "!(has(self.nodePorts)) || self.nodePorts.all(p, self.nodePorts.filter(q, q == p).size() == 1)",
    "nodePorts must not contain duplicates",
)


class Endpoint(Model, frozen=True):
    """Where a gateway server is reached from the outside."""

    WIRE: ClassVar = rules(PORT_OR_PORTS, SOME_PORT, DIFFERENT_PORTS)

    addresses: tuple[str, ...] = ()
    port: Int32 | None = None
    ports: Ports = ()
    protocol: Literal["TCP", "UDP"] | None = None


class ServerEndpoint(Model, frozen=True):
    """How a gateway server shall be reached from the outside."""

    WIRE: ClassVar = rules(
        PORT_OR_PORTS,
        NODE_PORT_OR_NODE_PORTS,
        SOME_PORT,
        DIFFERENT_PORTS,
        DIFFERENT_NODE_PORTS,
    )

    port: Int32 | None = None
    ports: Ports = ()
    node_port: Int32 | None = None
    node_ports: Ports = ()
    service_type: ServiceType = "ClusterIP"
    load_balancer_ip: str | None = None


class InternalEndpoint(Model, frozen=True):
    """Where a gateway is reached from the inside."""

    ip: IPv4 | None = None
    node: str | None = None


class GatewayServerSpec(Model, frozen=True):
    server_template_ref: ObjectReference = ObjectReference()
    endpoint: ServerEndpoint | None = None
    service_annotations: dict[str, str] = {}
    service_labels: dict[str, str] = {}
    secret_ref: LocalReference | None = None
    mtu: int = 0


class GatewayServerStatus(Model, frozen=True):
    server_ref: ObjectReference | None = None
    endpoint: Endpoint | None = None
    internal_endpoint: InternalEndpoint | None = None
    secret_ref: ObjectReference | None = None


class GatewayServer(Resource, frozen=True):
    """The end that is called."""

    KIND: ClassVar = Kind(GROUP, VERSION, "GatewayServer", "gatewayservers")

    spec: GatewayServerSpec = GatewayServerSpec()
    status: GatewayServerStatus = GatewayServerStatus()


class GatewayClientSpec(Model, frozen=True):
    client_template_ref: ObjectReference = ObjectReference()
    endpoint: Endpoint | None = None
    secret_ref: LocalReference | None = None
    mtu: int = 0


class GatewayClientStatus(Model, frozen=True):
    client_ref: ObjectReference | None = None
    internal_endpoint: InternalEndpoint | None = None
    secret_ref: ObjectReference | None = None


class GatewayClient(Resource, frozen=True):
    """The end that calls."""

    KIND: ClassVar = Kind(GROUP, VERSION, "GatewayClient", "gatewayclients")

    spec: GatewayClientSpec = GatewayClientSpec()
    status: GatewayClientStatus = GatewayClientStatus()


def columns(template: str, endpoint: str) -> tuple[Column, ...]:
    return (
        Column("Template Kind", f"{template}.kind", priority=1),
        Column("Template Name", f"{template}.name"),
        Column("Template Namespace", f"{template}.namespace", priority=1),
        Column("IP", f"{endpoint}.addresses[*]"),
        Column("Port", f"{endpoint}.port"),
        Column("Protocol", f"{endpoint}.protocol", priority=1),
        Column("MTU", ".spec.mtu", "integer", priority=1),
        AGE,
    )


CRDS = (
    CRD(
        GatewayClient,
        short_names=("gwc", "gwclient"),
        columns=columns(".spec.clientTemplateRef", ".spec.endpoint"),
    ),
    CRD(
        GatewayServer,
        short_names=("gws", "gwserver"),
        columns=columns(".spec.serverTemplateRef", ".status.endpoint"),
    ),
)
