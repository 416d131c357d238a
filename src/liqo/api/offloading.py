"""What is borrowed, and what runs on it: offloading.liqo.io."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

import msgspec

from liqo.api.kubernetes import Decoded, PodSpec
from liqo.api.meta import JSON, Kind, Model, Resource
from liqo.api.schema import AGE, CRD, OPEN, Column, follows, wire
from liqo.api.values import (
    ClusterID,
    DeploymentTemplate,
    IngressClass,
    Int32,
    Int64,
    LoadBalancerClass,
    LocalReference,
    NodeAffinity,
    NodeSelector,
    ObjectReference,
    ResourceList,
    ResourceQuota,
    StorageClass,
    Taint,
    Time,
    Toleration,
)

GROUP = "offloading.liqo.io"
VERSION = "v1beta1"

MappingStrategy: TypeAlias = Literal["EnforceSameName", "DefaultName", "SelectedName"]
PodStrategy: TypeAlias = Literal["Local", "Remote", "LocalAndRemote"]
MappingPhase: TypeAlias = Literal["Accepted", "CreationLoopBackOff", "Terminating"]
Enforcement: TypeAlias = Literal["Hard", "Soft", "None"]
PodPhase: TypeAlias = Literal["Pending", "Running", "Succeeded", "Failed", "Unknown"]
VirtualNodePart: TypeAlias = Literal["VirtualKubelet", "Node"]
PartStatus: TypeAlias = Literal["None", "Running", "Creating", "Draining", "Deleting"]


class NamespaceOffloadingSpec(Model, frozen=True):
    namespace_mapping_strategy: MappingStrategy = "DefaultName"
    remote_namespace_name: str = ""
    pod_offloading_strategy: PodStrategy = "LocalAndRemote"
    cluster_selector: NodeSelector = {}


class RemoteNamespaceCondition(Model, frozen=True):
    type: str
    status: str
    last_transition_time: Time | None = None
    reason: str = ""
    message: str = ""


class NamespaceOffloadingStatus(Model, frozen=True):
    offloading_phase: str = ""
    remote_namespace_name: str = ""
    remote_namespaces_conditions: dict[str, tuple[RemoteNamespaceCondition, ...]] = {}
    observed_generation: Int64 = 0


class NamespaceOffloading(Resource, frozen=True):
    """This namespace extends to the selected clusters. Its only legal name is `offloading`."""

    KIND: ClassVar = Kind(GROUP, VERSION, "NamespaceOffloading", "namespaceoffloadings")

    spec: NamespaceOffloadingSpec
    status: NamespaceOffloadingStatus = NamespaceOffloadingStatus()


class NamespaceMapSpec(Model, frozen=True):
    desired_mapping: dict[str, str] = {}  # namespace of the consumer → namespace of the provider


class RemoteNamespace(Model, frozen=True):
    remote_namespace: str = ""
    phase: MappingPhase | None = None
    message: str = ""  # why it is not accepted; a field of ours


class NamespaceMapStatus(Model, frozen=True):
    current_mapping: dict[str, RemoteNamespace] = {}


class NamespaceMap(Resource, frozen=True):
    """The namespaces that a consumer wants on a provider, and those that are there."""

    KIND: ClassVar = Kind(GROUP, VERSION, "NamespaceMap", "namespacemaps")

    spec: NamespaceMapSpec = NamespaceMapSpec()
    status: NamespaceMapStatus = NamespaceMapStatus()


class QuotaSpec(Model, frozen=True):
    user: Annotated[str, wire(minLength=1)]
    resources: ResourceList
    limits_enforcement: Enforcement | None = None
    cordoned: bool = False


class Quota(Resource, frozen=True):
    """The most that one user of a consumer may use."""

    KIND: ClassVar = Kind(GROUP, VERSION, "Quota", "quotas")

    spec: QuotaSpec


class Affinity(Model, frozen=True):
    node_affinity: NodeAffinity = {}


class OffloadingPatch(Model, frozen=True):
    """What is added to, or withheld from, every pod that goes out through one virtual node."""

    node_selector: dict[str, str] = {}
    tolerations: tuple[Toleration, ...] = ()
    affinity: Affinity | None = None
    runtime_class_name: str | None = None
    annotations_not_reflected: tuple[str, ...] = ()
    labels_not_reflected: tuple[str, ...] = ()


class VirtualNodeSpec(Model, frozen=True):
    cluster_id: ClusterID = ""
    create_node: bool | None = None
    disable_network_check: bool | None = None
    kubeconfig_secret_ref: LocalReference | None = None
    vk_options_template_ref: ObjectReference | None = None
    template: DeploymentTemplate | None = None
    offloading_patch: OffloadingPatch | None = None
    resource_quota: ResourceQuota = ResourceQuota()
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    taints: tuple[Taint, ...] = ()
    images: tuple[Annotated[JSON, follows("ContainerImage")], ...] = ()
    storage_classes: tuple[StorageClass, ...] = ()
    ingress_classes: tuple[IngressClass, ...] = ()
    load_balancer_classes: tuple[LoadBalancerClass, ...] = ()


class VirtualNodeCondition(Model, frozen=True):
    type: VirtualNodePart
    status: Annotated[PartStatus, wire(default="None")]
    last_transition_time: Time | None = None
    reason: str = ""
    message: str = ""


class VirtualNodeStatus(Model, frozen=True):
    conditions: tuple[VirtualNodeCondition, ...] = ()


class VirtualNode(Resource, frozen=True):
    """A share of a provider that appears as a Node: one virtual kubelet runs for it."""

    KIND: ClassVar = Kind(GROUP, VERSION, "VirtualNode", "virtualnodes")

    spec: VirtualNodeSpec = VirtualNodeSpec()
    status: VirtualNodeStatus = VirtualNodeStatus()


class ReflectorConfig(Model, frozen=True):
    workers: int  # 0: this kind is not reflected
    type: str = ""


class CustomResource(Model, frozen=True):
    """A kind that somebody else defined, in the words of its CustomResourceDefinition."""

    group: Annotated[str, wire(minLength=1)]
    version: Annotated[str, wire(minLength=1)]
    kind: Annotated[str, wire(minLength=1)]
    resource: Annotated[str, wire(minLength=1)]  # its plural


class VkOptionsTemplateSpec(Model, frozen=True):
    container_image: str
    create_node: bool
    disable_network_check: bool
    metrics_enabled: bool
    metrics_address: str = ""
    pull_policy: str = ""
    image_pull_secrets: tuple[LocalReference, ...] = ()
    replicas: Int32 | None = None
    resources: Annotated[JSON, follows("ResourceRequirements")] = {}
    tolerations: tuple[Toleration, ...] = ()
    extra_args: tuple[str, ...] = ()
    extra_annotations: dict[str, str] = {}
    extra_labels: dict[str, str] = {}
    node_extra_annotations: dict[str, str] = {}
    node_extra_labels: dict[str, str] = {}
    annotations_not_reflected: tuple[str, ...] = ()
    labels_not_reflected: tuple[str, ...] = ()
    reflectors_config: dict[str, ReflectorConfig] = {}
    custom_resources: tuple[CustomResource, ...] = ()  # that are reflected, too; a field of ours


class VkOptionsTemplate(Resource, frozen=True):
    """How virtual kubelets are started, unless their VirtualNode says otherwise."""

    KIND: ClassVar = Kind(GROUP, VERSION, "VkOptionsTemplate", "vkoptionstemplates")

    spec: VkOptionsTemplateSpec


NO_POD = msgspec.Raw(b"{}")


class ShadowPodSpec(Model, frozen=True, gc=False):
    # A PodSpec, forwarded as it is, and undecoded: a kubelet keeps thousands and reads none. Its
    # whole schema would cost the provider's API server 8 ms per pod; a wrong one is refused, with
    # its reason, when the pod is made of it.
    raw_pod: Annotated[msgspec.Raw, OPEN] = msgspec.field(name="pod", default=NO_POD)

    pod = Decoded[PodSpec]("raw_pod")


class ShadowPodStatus(Model, frozen=True, gc=False):
    phase: Annotated[PodPhase, wire(default="Unknown")]
    observed_generation: Int64 = 0  # whose size its pod has; told of one that shrank. Of ours


class ShadowPod(Resource, frozen=True, gc=False):
    """A pod that a consumer asks for: the provider keeps one running even if nobody asks again."""

    KIND: ClassVar = Kind(GROUP, VERSION, "ShadowPod", "shadowpods")

    spec: ShadowPodSpec = ShadowPodSpec()
    status: ShadowPodStatus | None = None


class EndpointSliceTemplate(Model, frozen=True):
    address_type: str = ""
    endpoints: tuple[Annotated[JSON, follows("Endpoint")], ...] = ()
    ports: tuple[Annotated[JSON, follows("EndpointPort")], ...] = ()


class ShadowEndpointSliceSpec(Model, frozen=True):
    template: EndpointSliceTemplate = EndpointSliceTemplate()


class ShadowEndpointSlice(Resource, frozen=True):
    """Endpoints of a consumer's service, to be seen by the pods on the provider."""

    KIND: ClassVar = Kind(GROUP, VERSION, "ShadowEndpointSlice", "shadowendpointslices")

    spec: ShadowEndpointSliceSpec = ShadowEndpointSliceSpec()


CRDS = (
    CRD(
        NamespaceMap,
        short_names=("nm", "nsmap"),
        columns=(Column("Local", r".metadata.labels.liqo\.io/replication"), AGE),
    ),
    CRD(
        NamespaceOffloading,
        short_names=("nso", "nsof", "nsoff", "nsoffloading"),
        columns=(
            Column("NamespaceMappingStrategy", ".spec.namespaceMappingStrategy"),
            Column("PodOffloadingStrategy", ".spec.podOffloadingStrategy"),
            Column("OffloadingPhase", ".status.offloadingPhase"),
            Column("RemoteNamespaceName", ".status.remoteNamespaceName", priority=10),
            AGE,
        ),
        spec_required=True,
    ),
    CRD(
        Quota,
        short_names=("qt",),
        columns=(
            Column("Enforcement", ".spec.limitsEnforcement"),
            Column("Cordoned", ".spec.cordoned", "boolean"),
            AGE,
            Column("User", ".spec.user", priority=1),
        ),
        spec_required=True,
    ),
    CRD(ShadowEndpointSlice, short_names=("shes", "sheps", "seps")),
    CRD(
        ShadowPod,
        short_names=("shp", "shpod"),
        columns=(Column("Status", ".status.phase"), AGE),
    ),
    CRD(
        VirtualNode,
        short_names=("vn", "vnode", "virno", "vno"),
        columns=(
            Column("ClusterID", ".spec.clusterID"),
            Column("Create Node", ".spec.createNode", "boolean"),
            AGE,
            Column("Node", '.status.conditions[?(@.type=="Node")].status', priority=1),
            Column(
                "VirtualKubelet",
                '.status.conditions[?(@.type=="VirtualKubelet")].status',
                priority=1,
            ),
        ),
    ),
    CRD(VkOptionsTemplate, short_names=("vkot", "vkopt"), columns=(AGE,)),
)
