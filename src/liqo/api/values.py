"""Values that several kinds are made of."""

from __future__ import annotations

from typing import Annotated, ClassVar, TypeAlias

from liqo.api.meta import JSON, Model
from liqo.api.schema import ATOMIC, ATOMIC_LIST, Wire, follows, wire

QUANTITY_PATTERN = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)

ClusterID: TypeAlias = Annotated[str, wire(pattern="^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
Time: TypeAlias = Annotated[str, wire(format="date-time")]
CIDR: TypeAlias = Annotated[str, wire(format="cidr")]
IPv4: TypeAlias = Annotated[str, wire(format="ipv4")]
Int32: TypeAlias = Annotated[int, wire(format="int32")]
Int64: TypeAlias = Annotated[int, wire(format="int64")]

# `cpu: 4` stays a number in the API server: rules.quantity reads both.
WireQuantity: TypeAlias = Annotated[
    str | int, Wire({"x-kubernetes-int-or-string": True, "pattern": QUANTITY_PATTERN})
]
ResourceList: TypeAlias = dict[str, WireQuantity]

# Kubernetes owns these. They cross us as they are, newer fields included.
DeploymentSpec: TypeAlias = Annotated[JSON, follows("DeploymentSpec")]
ServiceSpec: TypeAlias = Annotated[JSON, follows("ServiceSpec")]
NodeSelector: TypeAlias = Annotated[JSON, follows("NodeSelector")]
NodeAffinity: TypeAlias = Annotated[JSON, follows("NodeAffinity")]
Toleration: TypeAlias = Annotated[JSON, follows("Toleration")]
Taint: TypeAlias = Annotated[JSON, follows("Taint")]


class ObjectReference(Model, frozen=True):
    WIRE: ClassVar = ATOMIC

    api_version: str = ""
    field_path: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    resource_version: str = ""
    uid: str = ""


class LocalReference(Model, frozen=True):
    """An object in the same namespace."""

    WIRE: ClassVar = ATOMIC

    name: Annotated[str, wire(default="")] = ""


class TemplateMeta(Model, frozen=True):
    """Metadata of an object that is still to be made."""

    name: str = ""
    namespace: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    finalizers: tuple[str, ...] = ()


class DeploymentTemplate(Model, frozen=True):
    metadata: TemplateMeta = TemplateMeta()
    spec: DeploymentSpec = {}


class ServiceTemplate(Model, frozen=True):
    metadata: TemplateMeta = TemplateMeta()
    spec: ServiceSpec = {}


class ResourceQuota(Model, frozen=True):
    """Kubernetes' ResourceQuotaSpec."""

    hard: ResourceList = {}
    scopes: Annotated[tuple[str, ...], ATOMIC_LIST] = ()
    scope_selector: Annotated[JSON, follows("ScopeSelector")] = {}


class StorageClass(Model, frozen=True):
    """A class of storage that a provider offers under this name; the next two look the same."""

    storage_class_name: str
    default: bool = False


class IngressClass(Model, frozen=True):
    ingress_class_name: str
    default: bool = False


class LoadBalancerClass(Model, frozen=True):
    load_balancer_class_name: str
    default: bool = False
