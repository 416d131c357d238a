"""Kinds that Kubernetes owns: metadata is typed, all else stays as it came.

A pod of a newer Kubernetes must cross us unharmed, so nothing of it is forgotten: its fields are
kept as undecoded JSON, and decoded when a decision asks for them. The TypedDicts name what we
touch; what they do not name is still there.
"""

from __future__ import annotations

from typing import ClassVar, Generic, TypedDict, TypeVar, cast

import msgspec

from liqo.api.meta import JSON, Kind, Model, Resource

T = TypeVar("T")
NULL = msgspec.Raw(b"null")
RBAC = "rbac.authorization.k8s.io"


class EnvVar(TypedDict, total=False):
    name: str
    value: str
    valueFrom: JSON


class Container(TypedDict, total=False):
    name: str
    image: str
    command: list[str]
    args: list[str]
    env: list[EnvVar]
    resources: JSON
    volumeMounts: list[JSON]


class PodSpec(TypedDict, total=False):
    nodeName: str
    containers: list[Container]
    initContainers: list[Container]
    volumes: list[JSON]
    overhead: dict[str, str]
    serviceAccountName: str
    restartPolicy: str
    terminationGracePeriodSeconds: int
    hostNetwork: bool
    runtimeClassName: str
    nodeSelector: dict[str, str]
    tolerations: list[JSON]
    affinity: JSON


class Condition(TypedDict, total=False):
    type: str
    status: str
    reason: str
    message: str
    lastTransitionTime: str | None
    lastProbeTime: str | None
    lastHeartbeatTime: str | None
    observedGeneration: int


class PodStatus(TypedDict, total=False):
    phase: str
    reason: str
    message: str
    conditions: list[Condition]
    podIP: str
    podIPs: list[dict[str, str]]
    hostIP: str
    hostIPs: list[dict[str, str]]
    startTime: str
    containerStatuses: list[JSON]
    initContainerStatuses: list[JSON]
    ephemeralContainerStatuses: list[JSON]


class Taint(TypedDict, total=False):
    key: str
    value: str
    effect: str
    timeAdded: str


class NodeSpec(TypedDict, total=False):
    podCIDR: str
    podCIDRs: list[str]
    providerID: str
    unschedulable: bool
    taints: list[Taint]


class NodeStatus(TypedDict, total=False):
    capacity: dict[str, str]
    allocatable: dict[str, str]
    conditions: list[Condition]
    addresses: list[dict[str, str]]
    daemonEndpoints: JSON
    nodeInfo: JSON
    images: list[JSON]


class ServicePort(TypedDict, total=False):
    name: str
    port: int
    protocol: str
    targetPort: int | str
    nodePort: int
    appProtocol: str


class ServiceSpec(TypedDict, total=False):
    type: str
    ports: list[ServicePort]
    selector: dict[str, str]
    clusterIP: str
    clusterIPs: list[str]
    externalName: str
    ipFamilies: list[str]
    loadBalancerClass: str


class Endpoint(TypedDict, total=False):
    addresses: list[str]
    conditions: dict[str, bool | None]
    hostname: str
    nodeName: str
    targetRef: JSON
    zone: str


class LeaseSpec(TypedDict, total=False):
    holderIdentity: str
    leaseDurationSeconds: int
    acquireTime: str
    renewTime: str
    leaseTransitions: int


class SigningSpec(TypedDict, total=False):
    request: str
    signerName: str
    usages: list[str]
    expirationSeconds: int
    username: str
    groups: list[str]


class SigningStatus(TypedDict, total=False):
    certificate: str
    conditions: list[Condition]


class Decoded(Generic[T]):
    """A field, decoded anew each time it is read: the value is the reader's own."""

    def __init__(self, raw: str, *, empty: bytes = b"{}") -> None:
        self._raw = raw
        self._empty = empty

    def __get__(self, owner: Model, _: type[Model]) -> T:
        value = msgspec.json.decode(getattr(owner, self._raw))
        return cast(T, msgspec.json.decode(self._empty) if value is None else value)


def undecoded(name: str) -> msgspec.Raw:
    """A field that keeps the bytes of `name`; null where the object has none."""
    return msgspec.field(name=name, default=NULL)


class Pod(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind("", "v1", "Pod", "pods")

    raw_spec: msgspec.Raw = undecoded("spec")
    raw_status: msgspec.Raw = undecoded("status")

    spec = Decoded[PodSpec]("raw_spec")
    status = Decoded[PodStatus]("raw_status")


class Node(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind("", "v1", "Node", "nodes", namespaced=False)

    raw_spec: msgspec.Raw = undecoded("spec")
    raw_status: msgspec.Raw = undecoded("status")

    spec = Decoded[NodeSpec]("raw_spec")
    status = Decoded[NodeStatus]("raw_status")


class Namespace(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind("", "v1", "Namespace", "namespaces", namespaced=False)

    raw_status: msgspec.Raw = undecoded("status")

    status = Decoded[JSON]("raw_status")


class Service(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind("", "v1", "Service", "services")

    raw_spec: msgspec.Raw = undecoded("spec")
    raw_status: msgspec.Raw = undecoded("status")

    spec = Decoded[ServiceSpec]("raw_spec")
    status = Decoded[JSON]("raw_status")


class EndpointSlice(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices")

    address_type: str = ""
    raw_endpoints: msgspec.Raw = undecoded("endpoints")
    raw_ports: msgspec.Raw = undecoded("ports")

    endpoints = Decoded[list[Endpoint]]("raw_endpoints", empty=b"[]")
    ports = Decoded[list[JSON]]("raw_ports", empty=b"[]")


class ConfigMap(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind("", "v1", "ConfigMap", "configmaps")

    immutable: bool | None = None
    raw_data: msgspec.Raw = undecoded("data")
    raw_binary_data: msgspec.Raw = undecoded("binaryData")

    data = Decoded[dict[str, str]]("raw_data")
    binary_data = Decoded[dict[str, str]]("raw_binary_data")


class Secret(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind("", "v1", "Secret", "secrets")

    type: str = ""
    immutable: bool | None = None
    raw_data: msgspec.Raw = undecoded("data")

    data = Decoded[dict[str, str]]("raw_data")


class Event(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind("", "v1", "Event", "events")

    reason: str = ""
    message: str = ""
    type: str = ""
    count: int = 0
    first_timestamp: str | None = None
    last_timestamp: str | None = None
    # How newer reporters say when, how often and who.
    event_time: str | None = None
    reporting_component: str = ""
    raw_series: msgspec.Raw = undecoded("series")
    raw_source: msgspec.Raw = undecoded("source")
    raw_involved_object: msgspec.Raw = undecoded("involvedObject")

    series = Decoded[JSON]("raw_series")
    source = Decoded[JSON]("raw_source")
    involved_object = Decoded[JSON]("raw_involved_object")


class ServiceAccount(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind("", "v1", "ServiceAccount", "serviceaccounts")


class PersistentVolumeClaim(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims")

    raw_spec: msgspec.Raw = undecoded("spec")
    raw_status: msgspec.Raw = undecoded("status")

    spec = Decoded[JSON]("raw_spec")
    status = Decoded[JSON]("raw_status")


class PersistentVolume(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind("", "v1", "PersistentVolume", "persistentvolumes", namespaced=False)

    raw_spec: msgspec.Raw = undecoded("spec")
    raw_status: msgspec.Raw = undecoded("status")

    spec = Decoded[JSON]("raw_spec")
    status = Decoded[JSON]("raw_status")


class Ingress(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind("networking.k8s.io", "v1", "Ingress", "ingresses")

    raw_spec: msgspec.Raw = undecoded("spec")
    raw_status: msgspec.Raw = undecoded("status")

    spec = Decoded[JSON]("raw_spec")
    status = Decoded[JSON]("raw_status")


class Deployment(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind("apps", "v1", "Deployment", "deployments")

    raw_spec: msgspec.Raw = undecoded("spec")
    raw_status: msgspec.Raw = undecoded("status")

    spec = Decoded[JSON]("raw_spec")
    status = Decoded[JSON]("raw_status")


class Lease(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind("coordination.k8s.io", "v1", "Lease", "leases")

    raw_spec: msgspec.Raw = undecoded("spec")

    spec = Decoded[LeaseSpec]("raw_spec")


class CertificateSigningRequest(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind(
        "certificates.k8s.io",
        "v1",
        "CertificateSigningRequest",
        "certificatesigningrequests",
        namespaced=False,
    )

    raw_spec: msgspec.Raw = undecoded("spec")
    raw_status: msgspec.Raw = undecoded("status")

    spec = Decoded[SigningSpec]("raw_spec")
    status = Decoded[SigningStatus]("raw_status")


class ClusterRole(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind(RBAC, "v1", "ClusterRole", "clusterroles", namespaced=False)


class Role(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind(RBAC, "v1", "Role", "roles")

    raw_rules: msgspec.Raw = undecoded("rules")

    rules = Decoded[list[JSON]]("raw_rules", empty=b"[]")


class RoleBinding(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind(RBAC, "v1", "RoleBinding", "rolebindings")

    raw_role_ref: msgspec.Raw = undecoded("roleRef")
    raw_subjects: msgspec.Raw = undecoded("subjects")

    role_ref = Decoded[JSON]("raw_role_ref")
    subjects = Decoded[list[JSON]]("raw_subjects", empty=b"[]")


class ClusterRoleBinding(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind(
        RBAC, "v1", "ClusterRoleBinding", "clusterrolebindings", namespaced=False
    )

    raw_role_ref: msgspec.Raw = undecoded("roleRef")
    raw_subjects: msgspec.Raw = undecoded("subjects")

    role_ref = Decoded[JSON]("raw_role_ref")
    subjects = Decoded[list[JSON]]("raw_subjects", empty=b"[]")


class CustomResourceDefinition(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind(
        "apiextensions.k8s.io",
        "v1",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        namespaced=False,
    )

    raw_spec: msgspec.Raw = undecoded("spec")
    raw_status: msgspec.Raw = undecoded("status")

    spec = Decoded[JSON]("raw_spec")
    status = Decoded[JSON]("raw_status")


class StorageClass(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind(
        "storage.k8s.io", "v1", "StorageClass", "storageclasses", namespaced=False
    )

    provisioner: str = ""
