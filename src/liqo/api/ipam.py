"""Addresses that a peer knows under another number: ipam.liqo.io."""

from __future__ import annotations

from typing import Annotated, ClassVar

from liqo.api.meta import Kind, Model, Resource
from liqo.api.schema import AGE, CRD, Column, immutable, wire
from liqo.api.values import CIDR, Int32, IPv4, ObjectReference, ServiceTemplate

GROUP = "ipam.liqo.io"
VERSION = "v1alpha1"


class IPSpec(Model, frozen=True):
    ip: Annotated[IPv4, immutable("IP field")]
    network_ref: ObjectReference | None = None
    service_template: ServiceTemplate | None = None
    masquerade: bool | None = None


class IPStatus(Model, frozen=True):
    ip: Annotated[IPv4, immutable("IP field")] = ""
    cidr: Annotated[CIDR, immutable("CIDR field")] = ""


class IP(Resource, frozen=True):
    """An address of ours, and the one by which remote clusters reach it."""

    KIND: ClassVar = Kind(GROUP, VERSION, "IP", "ips")

    spec: IPSpec
    status: IPStatus = IPStatus()


class NetworkSpec(Model, frozen=True):
    cidr: Annotated[CIDR, immutable("CIDR field")]
    pre_allocated: Annotated[Int32, wire(minimum=0), immutable("PreAllocated field")] = 0


class NetworkStatus(Model, frozen=True):
    cidr: CIDR = ""


class Network(Resource, frozen=True):
    """A network that is in use, and the one by which we know it."""

    KIND: ClassVar = Kind(GROUP, VERSION, "Network", "networks")

    spec: NetworkSpec
    status: NetworkStatus = NetworkStatus()


CRDS = (
    CRD(
        IP,
        columns=(
            Column("Local IP", ".spec.ip"),
            Column("Remapped IP", ".status.ip"),
            Column("Remapped IP CIDR", ".status.cidr"),
            AGE,
        ),
        spec_required=True,
    ),
    CRD(
        Network,
        short_names=("net",),
        columns=(
            Column("Desired CIDR", ".spec.cidr"),
            Column("Remapped CIDR", ".status.cidr"),
            AGE,
        ),
        spec_required=True,
    ),
)
