"""The networks of two clusters, and the line between them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from liqo.api.meta import Kind, Model, Resource
from liqo.api.networking.group import GROUP, VERSION
from liqo.api.schema import AGE, CRD, Column, wire
from liqo.api.values import CIDR, Int64, ObjectReference, Time

REASON_PATTERN = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"
TYPE_PATTERN = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
)


class Networks(Model, frozen=True):
    pod: tuple[CIDR, ...] = ()
    external: tuple[CIDR, ...] = ()


class ClusterNetworks(Model, frozen=True):
    cidr: Networks = Networks()


class ConfigurationSpec(Model, frozen=True):
    local: ClusterNetworks | None = None
    remote: ClusterNetworks = ClusterNetworks()


class ConfigurationCondition(Model, frozen=True):
    """Kubernetes' own Condition."""

    type: Annotated[str, wire(maxLength=316, pattern=TYPE_PATTERN)]
    status: Literal["True", "False", "Unknown"]
    last_transition_time: Time
    reason: Annotated[str, wire(minLength=1, maxLength=1024, pattern=REASON_PATTERN)]
    message: Annotated[str, wire(maxLength=32768)]
    observed_generation: Annotated[Int64, wire(minimum=0)] = 0


class ConfigurationStatus(Model, frozen=True):
    conditions: tuple[ConfigurationCondition, ...] = ()
    remote: ClusterNetworks | None = None


class Configuration(Resource, frozen=True):
    """The networks of a peer as it has them, and as we have to see them."""

    KIND: ClassVar = Kind(GROUP, VERSION, "Configuration", "configurations")

    spec: ConfigurationSpec = ConfigurationSpec()
    status: ConfigurationStatus = ConfigurationStatus()


class Latency(Model, frozen=True):
    value: str = ""
    timestamp: Time | None = None


class ConnectionSpec(Model, frozen=True):
    type: Literal["Server", "Client"]
    gateway_ref: ObjectReference


class ConnectionStatus(Model, frozen=True):
    value: str = ""
    latency: Latency | None = None


class Connection(Resource, frozen=True):
    """Whether a gateway reaches its counterpart, and how fast."""

    KIND: ClassVar = Kind(GROUP, VERSION, "Connection", "connections")

    spec: ConnectionSpec
    status: ConnectionStatus = ConnectionStatus()


CRDS = (
    CRD(
        Configuration,
        short_names=("conf",),
        columns=(
            Column("Desired Pod CIDR ", ".spec.remote.cidr.pod"),  # the blank is on the wire
            Column("Remapped Pod CIDR", ".status.remote.cidr.pod"),
            AGE,
            Column("Desired External CIDR", ".spec.remote.cidr.external", priority=1),
            Column("Remapped External CIDR", ".status.remote.cidr.external", priority=1),
            Column("ClusterID", r".metadata.labels.liqo\.io/remote-cluster-id", priority=1),
        ),
    ),
    CRD(
        Connection,
        short_names=("conn",),
        columns=(
            Column("Type", ".spec.type"),
            Column("Status", ".status.value"),
            AGE,
            Column("Latency", ".status.latency.value", priority=1),
        ),
    ),
)
