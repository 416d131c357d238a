"""A consumer without a cluster: what liqoctl and its controllers would do on the provider."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from liqo.api import labels
from liqo.api.authentication import AuthParams, Renew, ResourceSlice, Tenant
from liqo.api.kubernetes import Namespace, Secret
from liqo.api.meta import JSON, Key, Kind, Resource
from liqo.kube.access import Access, Material, User
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.rules import certificates, handshake, keys, names
from tests.e2e.eventually import eventually

R = TypeVar("R", bound=Resource)


@dataclass(frozen=True)
class Borrower:
    id: str
    key: keys.PrivateKey
    milan: Cluster  # with all rights, as the administrator of the provider

    @property
    def home(self) -> str:
        return names.tenant_namespace(self.id)

    @property
    def pem(self) -> bytes:
        return keys.private_pem(self.key)

    async def apply(self, kind: type[Resource], name: str, **body: object) -> None:
        """In the tenant namespace, as the administrator."""
        marks = {labels.REMOTE_CLUSTER_ID: self.id}
        await _apply(self.milan, kind.KIND, Key(self.home, name), {"labels": marks}, body)

    async def find(self, kind: type[R], name: str) -> R | None:
        try:
            return await self.milan.get(kind, Key(self.home, name))
        except NotFound:
            return None

    async def get(self, kind: type[R], name: str) -> R:
        return await self.milan.get(kind, Key(self.home, name))

    async def nonce(self) -> bytes:
        marks = {labels.REMOTE_CLUSTER_ID: self.id, labels.TENANT_NAMESPACE: "true"}
        await _apply(self.milan, Namespace.KIND, Key("", self.home), {"labels": marks}, {})
        marks = {labels.REMOTE_CLUSTER_ID: self.id, labels.NONCE: "true"}
        key = Key(self.home, names.NONCE_SECRET)
        await _apply(self.milan, Secret.KIND, key, {"labels": marks}, {})

        async def filled() -> str:
            return (await self.get(Secret, names.NONCE_SECRET)).data.get("nonce", "")

        return b64decode(await eventually(filled, bool))

    async def ask_in(self, signature: bytes | None = None) -> None:
        """Show who we are; with the signature of the nonce, unless another is given."""
        nonce = await self.nonce()
        spec = {
            "clusterID": self.id,
            "publicKey": _text(keys.public_pem(self.key.public_key())),
            "csr": _text(certificates.request(self.pem, names.CONTROL_PLANES, self.id)),
            "signature": _text(signature or handshake.sign(self.pem, nonce)),
        }
        await self.apply(Tenant, self.id, spec=spec)

    async def admitted(self) -> AuthParams:
        async def params() -> AuthParams | None:
            return (await self.get(Tenant, self.id)).status.auth_params

        found = await eventually(params, lambda seen: seen is not None and self.is_ours(seen))
        assert found is not None
        return found

    def is_ours(self, params: AuthParams) -> bool:
        return keys.same_key(certificates.certified_key(params.signed_crt), self.key.public_key())

    async def become(self, condition: str) -> None:
        """As the administrator of the provider decides."""
        change = {"spec": {"tenantCondition": condition}}
        await self.milan.patch(Tenant.KIND, Key(self.home, self.id), change, how="merge")

    @asynccontextmanager
    async def at(self, params: AuthParams) -> AsyncIterator[Cluster]:
        """The provider, as one sees it who has these credentials."""
        user = User(Material(params.signed_crt.decode()), Material(self.pem.decode()))
        access = Access(params.api_server, Material(params.ca.decode()), user=user, source=self.id)
        async with Cluster(access, name=self.id) as cluster:
            yield cluster

    async def replicate(self, there: Cluster, name: str, **spec: object) -> None:
        """Put a ResourceSlice, and the Renew of our control plane, where the provider looks."""
        user = names.user_of(name, self.id)
        said = {
            "class": "default",
            "consumerClusterID": self.id,
            "providerClusterID": "milan",
            "csr": _text(certificates.request(self.pem, self.id, user)),
            **spec,
        }
        where = {"labels": self.copied()}
        await _apply(there, ResourceSlice.KIND, Key(self.home, name), where, {"spec": said})
        renew = {"spec": {"consumerClusterID": self.id, "identityType": "ControlPlane"}}
        await _apply(there, Renew.KIND, Key(self.home, "controlplane-milan"), where, renew)

    def copied(self) -> JSON:
        return {
            labels.REPLICATION: "false",
            labels.REPLICATED: "true",
            labels.ORIGIN_ID: self.id,
            labels.REMOTE_ID: "milan",
            labels.REMOTE_CLUSTER_ID: self.id,
        }

    async def answers(self, name: str) -> dict[str, str]:
        said = (await self.get(ResourceSlice, name)).status.conditions
        return {each.type: each.status for each in said}

    async def leave(self) -> None:
        """Nothing of ours is left, whatever happened before."""
        for kind, key in (
            (Tenant.KIND, Key(self.home, self.id)),
            (Namespace.KIND, Key("", self.home)),
        ):
            try:
                await self.milan.delete(kind, key)
            except NotFound:
                continue
        await eventually(lambda: self.find(Tenant, self.id), is_=None)


async def _apply(there: Cluster, kind: Kind, key: Key, metadata: JSON, body: JSON) -> None:
    whole = {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "metadata": {"name": key.name, **metadata},
        **body,
    }
    await there.apply(whole, kind=kind, key=key, manager="tests")


def _text(content: bytes) -> str:
    return b64encode(content).decode()
