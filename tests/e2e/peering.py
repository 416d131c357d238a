"""What `liqoctl peer` and `unpeer` do, step by step, as a test needs it: objects, and waiting."""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import TypeVar

from msgspec import to_builtins

from liqo.api import labels
from liqo.api.authentication import Identity, IdentitySpec, Renew, ResourceSlice, Tenant
from liqo.api.kubernetes import Namespace, Secret
from liqo.api.meta import JSON, Key, Kind, Meta, Resource
from liqo.api.offloading import VirtualNode
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.rules import certificates, handshake, names
from tests.e2e.eventually import eventually

MANAGER = "tests"
R = TypeVar("R", bound=Resource)


@dataclass(frozen=True)
class Side:
    id: str
    cluster: Cluster

    async def apply(self, kind: Kind, body: JSON) -> None:
        metadata = body["metadata"]
        whole = {"apiVersion": kind.api_version, "kind": kind.name, **body}
        key = Key(metadata.get("namespace", ""), metadata["name"])
        await self.cluster.apply(whole, kind=kind, key=key, manager=MANAGER)

    async def put(self, thing: Resource) -> None:
        await self.apply(thing.KIND, to_builtins(thing))

    async def find(self, kind: type[R], namespace: str, name: str) -> R | None:
        try:
            return await self.cluster.get(kind, Key(namespace, name))
        except NotFound:
            return None

    async def delete(self, kind: type[Resource], namespace: str, name: str) -> None:
        try:
            await self.cluster.delete(kind.KIND, Key(namespace, name))
        except NotFound:
            return


@dataclass(frozen=True)
class Peering:
    consumer: Side
    provider: Side

    @property
    def here(self) -> str:
        """The tenant namespace on the consumer."""
        return names.tenant_namespace(self.provider.id)

    @property
    def there(self) -> str:
        return names.tenant_namespace(self.consumer.id)

    @property
    def identity(self) -> str:
        return names.controlplane_identity(self.provider.id)


async def authenticate(peering: Peering) -> None:
    consumer, provider = peering.consumer, peering.provider
    for side, peer in ((consumer, provider), (provider, consumer)):
        await side.apply(Namespace.KIND, {"metadata": _tenant_namespace(peer.id)})
    await provider.apply(Secret.KIND, _challenge(peering.there, consumer.id, labels.NONCE))
    nonce = await _content(provider, peering.there, names.NONCE_SECRET, "nonce")
    await consumer.apply(
        Secret.KIND, _challenge(peering.here, provider.id, labels.SIGNED_NONCE, nonce)
    )

    async def key_pair() -> dict[str, str]:
        found = await consumer.find(Secret, "liqo", names.AUTHENTICATION_KEYS)
        return found.data if found is not None else {}

    keys = await eventually(key_pair, bool)

    async def signature() -> bytes:
        """Of this nonce: there may still be the one of an earlier handshake."""
        found = await consumer.find(Secret, peering.here, names.SIGNED_NONCE_SECRET)
        signed = b64decode(found.data.get("signedNonce", "")) if found is not None else b""
        return signed if handshake.verify(b64decode(keys["publicKey"]), nonce, signed) else b""

    await provider.apply(Tenant.KIND, _tenant(peering, keys, await eventually(signature, bool)))
    await consumer.put(await _identity(peering))

    async def has_kubeconfig() -> bool:
        found = await consumer.find(Identity, peering.here, peering.identity)
        return found is not None and found.status.kubeconfig_secret_ref is not None

    await eventually(has_kubeconfig)


async def ask(peering: Peering, name: str) -> None:
    """For a slice of the provider, and a node made of it."""
    provider = peering.provider.id
    marks = {
        labels.REPLICATION: "true",
        labels.REMOTE_ID: provider,
        labels.REMOTE_CLUSTER_ID: provider,
    }
    metadata = Meta(
        name=name,
        namespace=peering.here,
        labels=marks,
        annotations={labels.CREATE_VIRTUAL_NODE: "true"},
    )
    spec = {"class": "default", "providerClusterID": provider}
    body = {"metadata": to_builtins(metadata), "spec": spec}
    await peering.consumer.apply(ResourceSlice.KIND, body)


async def unpeer(peering: Peering) -> None:
    """In reverse: what was asked for, then the credentials, then the tenant."""
    consumer = peering.consumer
    for asked in await _all(consumer, ResourceSlice, peering.here):
        await consumer.delete(ResourceSlice, peering.here, asked.metadata.name)
    await gone(consumer, ResourceSlice, peering.here)
    await gone(consumer, VirtualNode, peering.here)
    await consumer.delete(Identity, peering.here, peering.identity)
    await gone(consumer, Identity, peering.here)
    await gone(consumer, Renew, peering.here)
    secret = names.kubeconfig_secret(peering.identity)
    await eventually(lambda: consumer.find(Secret, peering.here, secret), is_=None)
    await peering.provider.delete(Tenant, peering.there, consumer.id)
    await gone(peering.provider, Tenant, peering.there)


async def gone(side: Side, kind: type[Resource], namespace: str) -> None:
    async def left() -> list[str]:
        return [str(found.key) for found in await _all(side, kind, namespace)]

    await eventually(left, is_=[])


async def _all(side: Side, kind: type[Resource], namespace: str) -> list[Resource]:
    listing = await side.cluster.list(kind, resource_version="")
    return [found for found in listing.items if found.metadata.namespace == namespace]


async def _content(side: Side, namespace: str, name: str, field: str) -> bytes:
    async def filled() -> str:
        found = await side.find(Secret, namespace, name)
        return found.data.get(field, "") if found is not None else ""

    return b64decode(await eventually(filled, bool))


def _tenant(peering: Peering, keys: dict[str, str], signature: bytes) -> JSON:
    consumer = peering.consumer
    private = b64decode(keys["privateKey"])
    request = certificates.request(private, names.CONTROL_PLANES, consumer.id)
    spec = {
        "clusterID": consumer.id,
        "publicKey": keys["publicKey"],
        "csr": b64encode(request).decode(),
        "signature": b64encode(signature).decode(),
    }
    marks = {labels.REMOTE_CLUSTER_ID: consumer.id}
    where = {"name": consumer.id, "namespace": peering.there, "labels": marks}
    return {"metadata": where, "spec": spec}


async def _identity(peering: Peering) -> Identity:
    provider = peering.provider

    async def answered() -> Tenant | None:
        return await provider.find(Tenant, peering.there, peering.consumer.id)

    tenant = await eventually(answered, lambda found: found is not None and is_admitted(found))
    assert tenant is not None
    assert tenant.status.auth_params is not None
    return Identity(
        metadata=Meta(
            name=peering.identity,
            namespace=peering.here,
            labels={labels.REMOTE_CLUSTER_ID: provider.id},
        ),
        spec=IdentitySpec(
            cluster_id=provider.id,
            type="ControlPlane",
            auth_params=tenant.status.auth_params,
            namespace=tenant.status.tenant_namespace,
        ),
    )


def is_admitted(tenant: Tenant) -> bool:
    return tenant.status.auth_params is not None and bool(tenant.status.tenant_namespace)


def _tenant_namespace(peer: str) -> JSON:
    marks = {labels.REMOTE_CLUSTER_ID: peer, labels.TENANT_NAMESPACE: "true"}
    return {"name": names.tenant_namespace(peer), "labels": marks}


def _challenge(namespace: str, peer: str, mark: str, nonce: bytes = b"") -> JSON:
    name = names.NONCE_SECRET if mark == labels.NONCE else names.SIGNED_NONCE_SECRET
    metadata = {
        "name": name,
        "namespace": namespace,
        "labels": {mark: "true", labels.REMOTE_CLUSTER_ID: peer},
    }
    return {"metadata": metadata, "data": {"nonce": b64encode(nonce).decode()} if nonce else {}}
