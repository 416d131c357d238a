"""What the controllers of rome, the consumer, see of its peering with milan."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import msgspec

from liqo.api import labels
from liqo.api.authentication import (
    AuthParams,
    Identity,
    IdentitySpec,
    Renew,
    RenewSpec,
    ResourceSlice,
    ResourceSliceCondition,
    ResourceSliceSpec,
    ResourceSliceStatus,
)
from liqo.api.kubernetes import Namespace, Secret
from liqo.api.meta import Meta, Resource
from liqo.consumer.home import Home, KeyPair
from liqo.kube.access import Access
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.paths import EVERYTHING, Scope
from liqo.rules.keys import new_key, private_pem, public_pem

HOME = Home("rome")
NAMESPACE = "liqo-tenant-milan"
REPLICATED = {
    labels.REPLICATION: "true",
    labels.REMOTE_ID: "milan",
    labels.REMOTE_CLUSTER_ID: "milan",
}
# As long as those of the real milan, so that what holds them can be compared by its length.
ANSWER = AuthParams(ca=b"a" * 1112, signed_crt=b"c" * 792, api_server="https://10.200.0.12:6443")
SLICE_ANSWER = msgspec.structs.replace(ANSWER, signed_crt=b"s" * 807)


def key_pair() -> KeyPair:
    key = new_key(tls_compatible=False)
    return KeyPair(private_pem(key), public_pem(key.public_key()))


def raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def meta(name: str, **more: Any) -> Meta:
    given = {"namespace": NAMESPACE, "uid": f"uid-of-{name}", "resource_version": "1", **more}
    return Meta(name=name, **given)


def a_secret(name: str, content: Mapping[str, bytes], **metadata: Any) -> Secret:
    encoded = {field: b64encode(value).decode() for field, value in content.items()}
    return Secret(metadata=meta(name, **metadata), raw_data=raw(encoded))


def a_namespace(name: str = NAMESPACE, peer: str = "milan") -> Namespace:
    marks = {labels.TENANT_NAMESPACE: "true", labels.REMOTE_CLUSTER_ID: peer}
    return Namespace(metadata=meta(name, namespace="", labels=marks))


def the_keys(pair: KeyPair) -> Secret:
    content = {"privateKey": pair.private, "publicKey": pair.public}
    return a_secret("authentication-keys", content, namespace="liqo")


def an_identity(**metadata: Any) -> Identity:
    """Of milan's control plane, as liqoctl makes it."""
    marks = {labels.REMOTE_CLUSTER_ID: "milan"}
    return Identity(
        metadata=meta("controlplane-milan", **{"labels": marks, **metadata}),
        spec=IdentitySpec(
            cluster_id="milan",
            type="ControlPlane",
            auth_params=ANSWER,
            namespace="liqo-tenant-rome",
        ),
    )


def a_renew(answer: AuthParams | None = None, **metadata: Any) -> Renew:
    renew = Renew(
        metadata=meta("controlplane-milan", **{"labels": REPLICATED, **metadata}),
        spec=RenewSpec(consumer_cluster_id="rome", identity_type="ControlPlane"),
    )
    if answer is None:
        return renew
    status = msgspec.structs.replace(renew.status, auth_params=answer)
    return msgspec.structs.replace(renew, status=status)


def a_request(csr: bytes = b"asked", **metadata: Any) -> ResourceSlice:
    """For a slice of milan, without an answer."""
    given = {"labels": REPLICATED, "annotations": {labels.CREATE_VIRTUAL_NODE: "true"}, **metadata}
    spec = ResourceSliceSpec(
        consumer_cluster_id="rome", provider_cluster_id="milan", csr=csr, class_="default"
    )
    return ResourceSlice(metadata=meta("milan", **given), spec=spec)


def a_status(**answers: str) -> ResourceSliceStatus:
    """`authentication="Accepted"`, and what comes with it."""
    conditions = tuple(
        msgspec.convert({"type": question.capitalize(), "status": answer}, ResourceSliceCondition)
        for question, answer in answers.items()
    )
    return ResourceSliceStatus(
        conditions=conditions,
        auth_params=SLICE_ANSWER,
        resources={"cpu": "4", "memory": "8Gi", "pods": "110", "ephemeral-storage": "20Gi"},
        node_labels={"provider": "AWS", "region": "B"},
    )


def answered(**answers: str) -> ResourceSlice:
    return msgspec.structs.replace(a_request(), status=a_status(**answers))


def caches() -> Caches:
    """Of a cluster that nobody calls."""
    return Caches(Cluster(Access("http://rome.invalid"), name="rome"))


def put(here: Caches, thing: Resource, scope: Scope = EVERYTHING) -> None:
    """As if a watch had brought it."""
    here.of(type(thing), scope).take(thing)
