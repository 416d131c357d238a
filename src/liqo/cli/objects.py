"""The objects that liqoctl makes, as it applies and as it prints them."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec import to_builtins

from liqo.api import labels
from liqo.api.authentication import (
    AuthParams,
    Identity,
    IdentitySpec,
    ResourceSlice,
    ResourceSliceSpec,
    Tenant,
    TenantSpec,
)
from liqo.api.kubernetes import Namespace, Secret
from liqo.api.meta import JSON, Key, Meta, Resource
from liqo.api.offloading import OffloadingPatch, VirtualNode, VirtualNodeSpec
from liqo.api.values import (
    IngressClass,
    LoadBalancerClass,
    LocalReference,
    ObjectReference,
    ResourceList,
    ResourceQuota,
    StorageClass,
)
from liqo.cli.documents import in_order
from liqo.cli.flags import Settings
from liqo.rules import certificates, names
from liqo.rules.amounts import counted
from liqo.rules.slices import largest_pod
from liqo.runtime.plan import Manifest

PRIVILEGED = "privileged"  # pods in a tenant namespace are ours: gateways need it
POD_SECURITY = ("audit", "enforce", "warn")


@dataclass(frozen=True)
class Stamp:
    """What the user wants on everything that is made: --global-labels, --global-annotations."""

    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Settings) -> Stamp:
        return cls(settings.labels, settings.annotations)

    def on(self, body: JSON) -> JSON:
        metadata = dict(body["metadata"])
        for name, extra in (("labels", self.labels), ("annotations", self.annotations)):
            if extra:
                metadata[name] = {**extra, **metadata.get(name, {})}
        return {**body, "metadata": metadata}


NO_STAMP = Stamp()


def body(thing: Resource | Manifest) -> JSON:
    """As it is sent: only what somebody said."""
    if isinstance(thing, Manifest):
        return {"apiVersion": thing.kind.api_version, "kind": thing.kind.name, **thing.body}
    return {
        "apiVersion": thing.KIND.api_version,
        "kind": thing.KIND.name,
        **to_builtins(thing),
    }


def printed(thing: Resource | Manifest, stamp: Stamp = NO_STAMP) -> JSON:
    """As `-o yaml` shows it: keys in order, and the fields that people expect to see empty."""
    shown = stamp.on(body(thing))
    shown["metadata"] = {"creationTimestamp": None, **shown["metadata"]}
    if isinstance(thing, Resource) and "status" in type(thing).__struct_fields__:
        shown.setdefault("status", {})
    ordered: JSON = in_order(shown)
    return ordered


def tenant_namespace(peer: str) -> Manifest:
    security = {f"pod-security.kubernetes.io/{mode}": PRIVILEGED for mode in POD_SECURITY}
    marks = {labels.REMOTE_CLUSTER_ID: peer, labels.TENANT_NAMESPACE: "true", **security}
    return Manifest(
        Namespace.KIND, {"metadata": {"name": names.tenant_namespace(peer), "labels": marks}}
    )


def content(secret: Secret, name: str) -> bytes:
    """What a Secret holds under that name; empty where it holds nothing."""
    return b64decode(secret.data.get(name, ""))


def nonce_secret(namespace: str, consumer: str) -> Manifest:
    """Empty: the provider's controllers fill it."""
    return _secret(namespace, names.NONCE_SECRET, {labels.NONCE: "true"}, consumer)


def signed_nonce_secret(namespace: str, provider: str, nonce: bytes) -> Manifest:
    """The consumer's controllers add the signature."""
    secret = _secret(namespace, names.SIGNED_NONCE_SECRET, {labels.SIGNED_NONCE: "true"}, provider)
    content = {"data": {"nonce": b64encode(nonce).decode()}}
    return Manifest(secret.kind, {**secret.body, **content})


@dataclass(frozen=True)
class Proof:
    """Who the consumer is: its key pair, and its signature of the provider's nonce."""

    private: bytes
    public: bytes
    signature: bytes


def tenant(consumer: str, namespace: str, proof: Proof, proxy_url: str = "") -> Tenant:
    return Tenant(
        metadata=Meta(
            name=consumer, namespace=namespace, labels={labels.REMOTE_CLUSTER_ID: consumer}
        ),
        spec=TenantSpec(
            cluster_id=consumer,
            public_key=proof.public,
            csr=certificates.request(proof.private, names.CONTROL_PLANES, consumer),
            signature=proof.signature,
            proxy_url=proxy_url,
        ),
    )


def identity(provider: str, namespace: str, granted: AuthParams, remote: str) -> Identity:
    """`remote` is the tenant namespace on the provider."""
    return Identity(
        metadata=Meta(
            name=names.controlplane_identity(provider),
            namespace=namespace,
            labels={labels.REMOTE_CLUSTER_ID: provider},
        ),
        spec=IdentitySpec(
            cluster_id=provider, type="ControlPlane", auth_params=granted, namespace=remote
        ),
    )


@dataclass(frozen=True)
class Wish:
    """What a consumer asks a provider for."""

    class_: str = "default"
    resources: Mapping[str, str] = field(default_factory=dict)
    virtual_node: bool = True


def resource_slice(name: str, namespace: str, provider: str, wish: Wish) -> ResourceSlice:
    marks = {
        labels.REPLICATION: "true",
        labels.REMOTE_ID: provider,
        labels.REMOTE_CLUSTER_ID: provider,
    }
    return ResourceSlice(
        metadata=Meta(
            name=name,
            namespace=namespace,
            labels=marks,
            annotations={labels.CREATE_VIRTUAL_NODE: str(wish.virtual_node).lower()},
        ),
        spec=ResourceSliceSpec(
            class_=wish.class_, provider_cluster_id=provider, resources=dict(wish.resources)
        ),
    )


@dataclass(frozen=True)
class Share:
    """What a virtual node is made of: a credential, and what it stands for."""

    secret: str
    resources: ResourceList
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    node_selector: Mapping[str, str] = field(default_factory=dict)
    storage_classes: tuple[StorageClass, ...] = ()
    ingress_classes: tuple[IngressClass, ...] = ()
    load_balancer_classes: tuple[LoadBalancerClass, ...] = ()


def share_of(granted: ResourceSlice) -> Share:
    status = granted.status
    return Share(
        secret=names.kubeconfig_secret(names.slice_identity(granted.metadata.name)),
        resources=counted(status.resources),
        labels=status.node_labels,
        annotations=largest_pod(granted),
        node_selector=status.node_selector,
        storage_classes=status.storage_classes,
        ingress_classes=status.ingress_classes,
        load_balancer_classes=status.load_balancer_classes,
    )


@dataclass(frozen=True)
class NodeWish:
    """What a user wants of a virtual node, whatever it is made of."""

    create_node: bool = True
    disable_network_check: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    node_selector: Mapping[str, str] = field(default_factory=dict)
    runtime_class: str | None = None
    options: Key | None = None  # the VkOptionsTemplate


def virtual_node(key: Key, provider: str, share: Share, wish: NodeWish) -> VirtualNode:
    marks = {labels.REMOTE_CLUSTER_ID: provider}
    selector = {**share.node_selector, **wish.node_selector}
    patch = OffloadingPatch(node_selector=selector, runtime_class_name=wish.runtime_class)
    options = wish.options
    return VirtualNode(
        metadata=Meta(name=key.name, namespace=key.namespace, labels=marks),
        spec=VirtualNodeSpec(
            cluster_id=provider,
            create_node=wish.create_node,
            disable_network_check=wish.disable_network_check,
            kubeconfig_secret_ref=LocalReference(name=share.secret),
            vk_options_template_ref=options
            and ObjectReference(name=options.name, namespace=options.namespace),
            offloading_patch=patch if patch != OffloadingPatch() else None,
            resource_quota=ResourceQuota(hard=share.resources),
            labels={**share.labels, **wish.labels, **marks},
            annotations=dict(share.annotations),
            storage_classes=share.storage_classes,
            ingress_classes=share.ingress_classes,
            load_balancer_classes=share.load_balancer_classes,
        ),
    )


def _secret(namespace: str, name: str, mark: JSON, peer: str) -> Manifest:
    marks = {**mark, labels.REMOTE_CLUSTER_ID: peer}
    return Manifest(
        Secret.KIND, {"metadata": {"name": name, "namespace": namespace, "labels": marks}}
    )
