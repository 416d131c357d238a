"""Peering users: who may peer on behalf of a consumer, and do nothing else.

All that makes one carries its name in a label, and is found by it.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence

from liqo.api import labels
from liqo.api.kubernetes import CertificateSigningRequest, ClusterRole, RoleBinding
from liqo.api.meta import Kind
from liqo.cli import writing
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.paths import Scope
from liqo.kube.reading import Metadata, Reading, metadata
from liqo.rules import names
from liqo.runtime.plan import Manifest

RBAC = "rbac.authorization.k8s.io"
ROLE = Kind(RBAC, "v1", "Role", "roles")
COMPONENT = f"{labels.APP_COMPONENT}=peering-user"
SIGNER = "kubernetes.io/kube-apiserver-client"
USAGES = ("digital signature", "key encipherment", "client auth")
APPROVAL = {
    "reason": "IdentityManagerApproval",
    "message": "This CSR was approved by liqoctl generate token",
}


async def parts(cluster: Cluster, consumer: str) -> Sequence[tuple[Kind, Metadata]]:
    """What there is of its user: a signing request, and the bindings of its certificates."""
    scope = Scope(labels=f"{labels.PEERING_USER_NAME}={names.peering_user(consumer)}")
    found = []
    for kind in (RoleBinding, CertificateSigningRequest):
        listing = await cluster.list(metadata(kind), scope=scope, resource_version="")
        found += [(kind.KIND, each) for each in listing.items]
    return found


async def remove(cluster: Cluster, consumer: str) -> bool:
    """Bindings first, so that it may do nothing from then on; False if there was no user."""
    there = await parts(cluster, consumer)
    for kind, part in there:
        await writing.remove(cluster, kind, part.key)
    return bool(there)


async def roles(cluster: Cluster, liqo_namespace: str) -> tuple[str, str]:
    """Of the installation: what the user reads in Liqo's namespace, and writes in its own."""
    readers = await cluster.list(
        Reading(ROLE, Metadata), scope=Scope(liqo_namespace, COMPONENT), resource_version=""
    )
    writers = await cluster.list(
        metadata(ClusterRole), scope=Scope(labels=COMPONENT), resource_version=""
    )
    if not readers.items or not writers.items:
        raise LiqoError(
            f'{cluster.name} lacks a Role in the namespace "{liqo_namespace}" or a ClusterRole '
            f"with the label {COMPONENT}; both come with: liqoctl install"
        )
    return readers.items[0].metadata.name, writers.items[0].metadata.name


def signing_request(consumer: str, pem: bytes) -> Manifest:
    user = names.peering_user(consumer)
    return Manifest(
        CertificateSigningRequest.KIND,
        {
            "metadata": {"name": user, "labels": {labels.PEERING_USER_NAME: user}},
            "spec": {
                "request": b64encode(pem).decode(),
                "signerName": SIGNER,
                "usages": list(USAGES),
            },
        },
    )


def bindings(
    consumer: str, common_name: str, places: tuple[str, str], bound: tuple[str, str]
) -> Sequence[Manifest]:
    """In Liqo's namespace and in the tenant namespace: `places`, and the roles bound there."""
    user = names.peering_user(consumer)
    suffixes = ("liqo-ns-reader", "tenant-ns-writer")
    kinds = ("Role", "ClusterRole")
    return [
        Manifest(
            RoleBinding.KIND,
            {
                "metadata": {
                    "name": f"{user}-{suffix}",
                    "namespace": place,
                    "labels": {labels.PEERING_USER_NAME: user},
                },
                "roleRef": {"apiGroup": RBAC, "kind": kind, "name": role},
                "subjects": [{"apiGroup": RBAC, "kind": "User", "name": common_name}],
            },
        )
        for suffix, kind, place, role in zip(suffixes, kinds, places, bound, strict=True)
    ]
