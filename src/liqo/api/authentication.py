"""Who may borrow, with which certificate, and how much: authentication.liqo.io."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from liqo.api import labels
from liqo.api.meta import Kind, Model, Resource
from liqo.api.schema import AGE, CRD, Column, immutable
from liqo.api.values import (
    ClusterID,
    IngressClass,
    LoadBalancerClass,
    LocalReference,
    ResourceList,
    StorageClass,
    Time,
)

GROUP = "authentication.liqo.io"
VERSION = "v1beta1"

AuthzPolicy: TypeAlias = Literal["KeysExchange", "TolerateNoHandshake"]
TenantCondition: TypeAlias = Literal["Active", "Cordoned", "Drained"]
IdentityType: TypeAlias = Literal["ControlPlane", "ResourceSlice"]
Answer: TypeAlias = Literal["Accepted", "Denied"]
Question: TypeAlias = Literal["Authentication", "Resources"]
ClaimPhase: TypeAlias = Literal["Pending", "Ready", "Denied"]


class AwsConfig(Model, frozen=True):
    aws_access_key_id: str
    aws_secret_access_key: str
    aws_region: str
    aws_cluster_name: str
    aws_user_arn: str


class AuthParams(Model, frozen=True):
    """What a consumer needs, beside its own key, to reach the provider's API server."""

    ca: bytes = b""
    signed_crt: bytes = b""
    api_server: str = ""
    proxy_url: str = ""
    aws_config: AwsConfig | None = None


class TenantSpec(Model, frozen=True):
    cluster_id: Annotated[ClusterID, immutable("ClusterID")] = ""
    public_key: bytes = b""
    csr: bytes = b""
    signature: bytes = b""
    proxy_url: str = ""
    authz_policy: AuthzPolicy = "KeysExchange"
    tenant_condition: TenantCondition = "Active"


class TenantStatus(Model, frozen=True):
    tenant_namespace: str = ""
    auth_params: AuthParams | None = None


class Tenant(Resource, frozen=True):
    """A consumer, as its provider knows it."""

    KIND: ClassVar = Kind(GROUP, VERSION, "Tenant", "tenants")

    spec: TenantSpec = TenantSpec()
    status: TenantStatus = TenantStatus()


class PeeringClaimSpec(Model, frozen=True):
    cluster_id: Annotated[ClusterID, immutable("ClusterID")] = ""
    public_key: bytes = b""
    signature: bytes = b""  # of the claim's name, by that key


class PeeringClaimStatus(Model, frozen=True):
    phase: ClaimPhase | None = None
    message: str = ""
    tenant_namespace: str = ""


class PeeringClaim(Resource, frozen=True):
    """Who holds a token says which cluster it is; the provider then lets it begin."""

    KIND: ClassVar = Kind(GROUP, VERSION, "PeeringClaim", "peeringclaims")

    spec: PeeringClaimSpec = PeeringClaimSpec()
    status: PeeringClaimStatus = PeeringClaimStatus()


class IdentitySpec(Model, frozen=True):
    cluster_id: ClusterID = ""
    type: IdentityType | None = None
    auth_params: AuthParams = AuthParams()
    namespace: str = ""  # the tenant namespace on the provider


class IdentityStatus(Model, frozen=True):
    kubeconfig_secret_ref: LocalReference | None = None


class Identity(Resource, frozen=True):
    """What the provider answered: on the consumer, it becomes a kubeconfig."""

    KIND: ClassVar = Kind(GROUP, VERSION, "Identity", "identities")

    spec: IdentitySpec = IdentitySpec()
    status: IdentityStatus = IdentityStatus()


class RenewSpec(Model, frozen=True):
    consumer_cluster_id: ClusterID = ""
    public_key: bytes = b""
    csr: bytes = b""
    identity_type: str = ""
    resource_slice_ref: LocalReference | None = None


class RenewStatus(Model, frozen=True):
    auth_params: AuthParams | None = None


class Renew(Resource, frozen=True):
    """A consumer asks for its certificate to be signed again."""

    KIND: ClassVar = Kind(GROUP, VERSION, "Renew", "renews")

    spec: RenewSpec = RenewSpec()
    status: RenewStatus = RenewStatus()


class ResourceSliceSpec(Model, frozen=True):
    consumer_cluster_id: ClusterID = ""
    provider_cluster_id: ClusterID = ""
    csr: bytes = b""
    class_: str = ""
    resources: ResourceList = {}


class ResourceSliceCondition(Model, frozen=True):
    type: Question
    status: Answer
    last_transition_time: Time | None = None
    reason: str = ""
    message: str = ""


class ResourceSliceStatus(Model, frozen=True):
    conditions: tuple[ResourceSliceCondition, ...] = ()
    resources: ResourceList = {}
    auth_params: AuthParams | None = None
    storage_classes: tuple[StorageClass, ...] = ()
    ingress_classes: tuple[IngressClass, ...] = ()
    load_balancer_classes: tuple[LoadBalancerClass, ...] = ()
    node_labels: dict[str, str] = {}
    node_selector: dict[str, str] = {}


class ResourceSlice(Resource, frozen=True):
    """A request and its answer: the spec is the consumer's, the status the provider's."""

    KIND: ClassVar = Kind(GROUP, VERSION, "ResourceSlice", "resourceslices")

    spec: ResourceSliceSpec = ResourceSliceSpec()
    status: ResourceSliceStatus = ResourceSliceStatus()

    def accepted(self, question: Question) -> bool:
        return any(
            condition.type == question and condition.status == "Accepted"
            for condition in self.status.conditions
        )

    @property
    def received(self) -> bool:
        """A consumer asks us; otherwise we ask a provider."""
        marks = self.metadata.labels
        return marks.get(labels.REPLICATED) == "true" and labels.ORIGIN_ID in marks

    @property
    def is_cordoned(self) -> bool:
        """By an annotation on the slice itself, or on behalf of its tenant."""
        marks = self.metadata.annotations
        return any(
            marks.get(mark, "false") not in {"false", "False", "0"}
            for mark in (labels.CORDON, labels.CORDON_TENANT)
        )


CRDS = (
    CRD(
        Identity,
        short_names=("id",),
        columns=(
            Column("Type", ".spec.type"),
            Column("KubeconfigSecret", ".status.kubeconfigSecretRef.name", priority=1),
            AGE,
        ),
    ),
    CRD(
        PeeringClaim,
        columns=(Column("Cluster", ".spec.clusterID"), Column("Phase", ".status.phase"), AGE),
    ),
    CRD(Renew, columns=(AGE,)),
    CRD(
        ResourceSlice,
        # `resourceslice` alone means the one of resource.k8s.io wherever Kubernetes has it.
        short_names=("rslice", "lrs"),
        columns=(
            Column("Authentication", '.status.conditions[?(@.type=="Authentication")].status'),
            Column("Resources", '.status.conditions[?(@.type=="Resources")].status'),
            AGE,
        ),
    ),
    CRD(
        Tenant,
        short_names=("tn",),
        columns=(Column("Condition", ".spec.tenantCondition"), AGE),
    ),
)
