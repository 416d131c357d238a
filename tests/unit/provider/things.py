"""Rome borrows from Milan: the objects of that, as Milan sees them, and caches that hold them."""

from __future__ import annotations

import re
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from liqo.api import labels
from liqo.api.authentication import (
    Answer,
    AuthParams,
    Question,
    Renew,
    RenewSpec,
    ResourceSlice,
    ResourceSliceSpec,
    ResourceSliceStatus,
    Tenant,
    TenantSpec,
    TenantStatus,
)
from liqo.api.kubernetes import (
    CertificateSigningRequest,
    ClusterRole,
    ClusterRoleBinding,
    EndpointSlice,
    Node,
    RoleBinding,
    Secret,
)
from liqo.api.meta import JSON, Meta, Resource
from liqo.api.offloading import NamespaceMap, Quota
from liqo.kube.access import Access as Target
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.paths import EVERYTHING, Scope
from liqo.kube.reading import Metadata
from liqo.provider import grant
from liqo.provider.access import CONTROL_PLANE, ENDPOINTS
from liqo.provider.grant import DEFAULTS, Lending, Terms
from liqo.provider.share.supply import Supply
from liqo.provider.watched import SIGNING_REQUESTS
from liqo.rules import certificates, handshake, keys, names
from liqo.rules.capacity import Sharing
from liqo.runtime.tenants import OF_PEERS, tenant_namespaces
from liqo.runtime.value import Value
from tests.builders import bring

NOW = datetime(2026, 11, 15, 10, 17, 16, tzinfo=UTC)
HOME = "liqo-tenant-rome"
KEY = keys.new_key(tls_compatible=False)
PEM, PUBLIC = keys.private_pem(KEY), keys.public_pem(KEY.public_key())
OTHER = keys.new_key(tls_compatible=False)
NONCE = handshake.nonce(bytes(64))
REQUEST = certificates.request(PEM, "liqo.io", "rome")
SLICE_USER = names.user_of("milan", "rome")
SLICE_REQUEST = certificates.request(PEM, "rome", SLICE_USER)
DOOR = AuthParams(ca=b"ca", api_server="https://10.200.0.12:6443")

LABELS = {"region": "B"}  # of milan
UNKNOWN = TenantStatus()
UNANSWERED = ResourceSliceStatus()

COPIED = {
    labels.REPLICATION: "false",
    labels.REPLICATED: "true",
    labels.ORIGIN_ID: "rome",
    labels.REMOTE_ID: "milan",
    labels.REMOTE_CLUSTER_ID: "rome",
}


def raw(content: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(content))


def secret_data(**content: bytes) -> msgspec.Raw:
    return raw({name: b64encode(value).decode() for name, value in content.items()})


def a_certificate(
    key: keys.PrivateKey | Ed448PrivateKey = KEY,
    born: datetime = NOW,
    lives: timedelta = timedelta(days=30),
) -> bytes:
    """As Kubernetes signs it: dated back by five minutes."""
    signer = certificates.new_key()
    name = certificates.distinguished_name("rome")
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(born - certificates.SKEW)
        .not_valid_after(born + lives)
    )
    return builder.sign(signer, SHA256()).public_bytes(Encoding.PEM)


CERTIFICATE = a_certificate()
ADMITTED = TenantStatus(
    tenant_namespace=HOME, auth_params=msgspec.structs.replace(DOOR, signed_crt=CERTIFICATE)
)


def unreadable(status: TenantStatus) -> TenantStatus:
    """With a certificate of a key that nobody here can use."""
    params = status.auth_params or DOOR
    foreign = a_certificate(Ed448PrivateKey.generate())
    return msgspec.structs.replace(
        status, auth_params=msgspec.structs.replace(params, signed_crt=foreign)
    )


def a_tenant(*, status: TenantStatus = UNKNOWN, **spec: Any) -> Tenant:
    """Of rome, that has signed the nonce; no longer new."""
    signature = handshake.sign(PEM, NONCE)
    said = {"cluster_id": "rome", "public_key": PUBLIC, "csr": REQUEST, "signature": signature}
    return Tenant(
        metadata=Meta(
            name="rome",
            namespace=HOME,
            uid="tenant-1",
            resource_version="7",
            labels={labels.REMOTE_CLUSTER_ID: "rome"},
            finalizers=(labels.TENANT_FINALIZER,),
        ),
        spec=TenantSpec(**{**said, **spec}),
        status=status,
    )


def leaving(tenant: Tenant, since: datetime) -> Tenant:
    metadata = msgspec.structs.replace(tenant.metadata, deletion_timestamp=since.isoformat())
    return msgspec.structs.replace(tenant, metadata=metadata)


def a_home(**marks: str) -> Metadata:
    said = {labels.TENANT_NAMESPACE: "true", labels.REMOTE_CLUSTER_ID: "rome"}
    return Metadata(metadata=Meta(name=HOME, resource_version="1", labels={**said, **marks}))


def a_nonce(nonce: bytes = NONCE, namespace: str = HOME, consumer: str = "rome") -> Secret:
    marks = {labels.NONCE: "true", labels.REMOTE_CLUSTER_ID: consumer}
    return Secret(
        metadata=Meta(
            name=names.NONCE_SECRET,
            namespace=namespace,
            uid="nonce-1",
            resource_version="2",
            labels={name: value for name, value in marks.items() if value},
        ),
        raw_data=secret_data(nonce=nonce) if nonce else msgspec.Raw(b"null"),
    )


def a_slice(*, status: ResourceSliceStatus = UNANSWERED, **spec: Any) -> ResourceSlice:
    """What rome asks of milan, as it arrives there."""
    said = {
        "class_": "default",
        "consumer_cluster_id": "rome",
        "provider_cluster_id": "milan",
        "csr": SLICE_REQUEST,
    }
    return ResourceSlice(
        metadata=Meta(
            name="milan",
            namespace=HOME,
            uid="slice-1",
            resource_version="9",
            creation_timestamp="2026-11-15T10:17:16Z",
            labels=COPIED,
        ),
        spec=ResourceSliceSpec(**{**said, **spec}),
        status=status,
    )


def answered(about_resources: Answer | None, /, **spec: Any) -> ResourceSlice:
    """Authenticated long ago, and told this about resources."""
    answers: list[tuple[Question, Answer]] = [("Authentication", "Accepted")]
    if about_resources is not None:
        answers.append(("Resources", about_resources))
    conditions = tuple(
        msgspec.structs.replace(grant.condition(*each), last_transition_time="2026-01-01T00:00:00Z")
        for each in answers
    )
    return a_slice(
        status=ResourceSliceStatus(
            conditions=conditions,
            auth_params=msgspec.structs.replace(DOOR, signed_crt=CERTIFICATE),
            resources=dict(DEFAULTS) if about_resources else {},
            node_labels=LABELS if about_resources else {},
        ),
        **spec,
    )


def marked(asked: ResourceSlice, **annotations: str) -> ResourceSlice:
    """With annotations; `cordon_tenant` stands for liqo.io/cordon-tenant."""
    said = {f"liqo.io/{name.replace('_', '-')}": value for name, value in annotations.items()}
    metadata = msgspec.structs.replace(asked.metadata, annotations=said)
    return msgspec.structs.replace(asked, metadata=metadata)


def a_renew(**spec: Any) -> Renew:
    said = {"consumer_cluster_id": "rome", "identity_type": "ControlPlane"}
    return Renew(
        metadata=Meta(
            name="controlplane-milan",
            namespace=HOME,
            uid="renew-1",
            resource_version="4",
            labels=COPIED,
        ),
        spec=RenewSpec(**{**said, **spec}),
    )


def a_map() -> NamespaceMap:
    return NamespaceMap(
        metadata=Meta(
            name="milan", namespace=HOME, uid="map-1", resource_version="5", labels=COPIED
        )
    )


def a_certificate_secret(
    certificate: bytes, request: bytes = REQUEST, slice_name: str = ""
) -> Secret:
    return Secret(
        metadata=Meta(
            name=names.certificate_secret(slice_name),
            namespace=HOME,
            resource_version="3",
            labels={labels.REMOTE_CLUSTER_ID: "rome"},
        ),
        raw_data=secret_data(csr=request, certificate=certificate),
    )


def a_signing_request(
    name: str, *said: str, certificate: bytes = b"", request: bytes = REQUEST
) -> CertificateSigningRequest:
    conditions = [{"type": word, "status": "True", "message": "so it is"} for word in said]
    status: JSON = {"conditions": conditions}
    if certificate:
        status["certificate"] = b64encode(certificate).decode()
    return CertificateSigningRequest(
        metadata=Meta(
            name=name,
            uid="csr-1",
            resource_version="6",
            creation_timestamp="2026-11-15T10:17:16Z",
            labels={labels.REMOTE_TENANT_CSR: "true", labels.REMOTE_CLUSTER_ID: "rome"},
        ),
        raw_spec=raw(
            {
                "request": b64encode(request).decode(),
                "signerName": "kubernetes.io/kube-apiserver-client",
                "usages": ["digital signature", "key encipherment", "client auth"],
            }
        ),
        raw_status=raw(status),
    )


def roles() -> tuple[ClusterRole, ...]:
    return tuple(
        ClusterRole(
            metadata=Meta(name=f"liqo-{name}", resource_version="1", labels={labels.APP_NAME: name})
        )
        for name in ("remote-controlplane", "virtual-kubelet-remote-clusterwide")
    )


def a_node(role: str, *addresses: tuple[str, str], name: str = "one") -> Node:
    said = [{"type": kind, "address": address} for kind, address in addresses]
    marks = {f"node-role.kubernetes.io/{role}": ""} if role else {}
    return Node(
        metadata=Meta(name=name, resource_version="1", labels=marks),
        raw_status=raw({"addresses": said}),
    )


SCOPES: dict[type[Resource], tuple[Scope, ...]] = {
    CertificateSigningRequest: (SIGNING_REQUESTS,),
    RoleBinding: (OF_PEERS,),
    ClusterRoleBinding: (OF_PEERS,),
    ClusterRole: (EVERYTHING,),
    Node: CONTROL_PLANE,
    EndpointSlice: (ENDPOINTS,),
    Quota: (EVERYTHING,),
    Metadata: (),
    Secret: (),
}


def holding(*things: Resource) -> Caches:
    """Caches as they are after these objects have been listed."""
    caches = Caches(Cluster(Target(server="https://milan.invalid")))
    for thing in sorted(things, key=lambda each: not isinstance(each, Metadata)):
        if isinstance(thing, Metadata):
            tenant_namespaces(caches).take(thing)
        elif isinstance(thing, Secret):
            bring(caches, thing)
        for scope in SCOPES.get(type(thing), (EVERYTHING,)):
            if _selects(scope.labels, thing.metadata.labels):
                caches.of(type(thing), scope).take(thing)
    return caches


def lending(here: Caches, terms: Terms | None = None) -> Lending:
    """With nodes and pods that are still to be listed."""
    return Lending(terms or Terms(), Supply(here, Value(Sharing()), lambda: 0.0))


def _selects(selector: str, marks: dict[str, str]) -> bool:
    """As the API server does it, for the three forms that we use."""
    if not selector:
        return True
    if several := re.fullmatch(r"(\S+) in \((.*)\)", selector):
        return marks.get(several[1]) in several[2].split(",")
    name, _, value = selector.partition("=")
    return marks.get(name) == value if value else name in marks
