"""Tunnels inside one cluster, between its nodes and its gateways."""

from __future__ import annotations

from typing import ClassVar

from liqo.api.meta import Kind, Model, Resource
from liqo.api.networking.group import GROUP, VERSION
from liqo.api.schema import AGE, CRD, Column
from liqo.api.values import CIDR, Int32, IPv4, ObjectReference


class GatewayAddress(Model, frozen=True):
    ip: IPv4


class NodeName(Model, frozen=True):
    name: str


class FabricInterface(Model, frozen=True):
    """The tunnel as the gateway holds it: its own address, and the device that the node names."""

    gateway: GatewayAddress
    node: NodeName


class InternalFabricSpec(Model, frozen=True):
    gateway_ip: IPv4
    interface: FabricInterface
    mtu: int = 0
    remote_cidrs: tuple[CIDR, ...] = ()


class InternalFabric(Resource, frozen=True):
    """A gateway, as the nodes reach it."""

    KIND: ClassVar = Kind(GROUP, VERSION, "InternalFabric", "internalfabrics")

    spec: InternalFabricSpec


class GatewayName(Model, frozen=True):
    name: str


class NodeAddress(Model, frozen=True):
    ip: IPv4


class NodeInterface(Model, frozen=True):
    """The tunnel as the node holds it: its own address, and the device that the gateway names."""

    gateway: GatewayName
    node: NodeAddress


class InternalNodeSpec(Model, frozen=True):
    interface: NodeInterface


class NodeIPs(Model, frozen=True):
    local: IPv4 | None = None
    remote: IPv4 | None = None


class InternalNodeStatus(Model, frozen=True):
    node_ip: NodeIPs


class InternalNode(Resource, frozen=True):
    """A node, as the gateways reach it."""

    KIND: ClassVar = Kind(GROUP, VERSION, "InternalNode", "internalnodes", namespaced=False)

    spec: InternalNodeSpec
    status: InternalNodeStatus | None = None


class GeneveTunnelSpec(Model, frozen=True):
    id: Int32
    internal_fabric_ref: ObjectReference
    internal_node_ref: ObjectReference


class GeneveTunnel(Resource, frozen=True):
    """The number of the tunnel between one node and one gateway."""

    KIND: ClassVar = Kind(GROUP, VERSION, "GeneveTunnel", "genevetunnels")

    spec: GeneveTunnelSpec


CRDS = (
    CRD(GeneveTunnel, short_names=("gvtn",)),
    CRD(
        InternalFabric,
        short_names=("if", "ifabric"),
        columns=(Column("Gateway IP", ".spec.gatewayIP"), AGE),
    ),
    CRD(
        InternalNode,
        short_names=("in", "inode"),
        columns=(
            Column("Node IP Local", ".status.nodeIP.local"),
            Column("Node IP Remote", ".status.nodeIP.remote"),
            AGE,
        ),
    ),
)
