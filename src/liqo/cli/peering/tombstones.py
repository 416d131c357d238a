"""Tombstones: the credential for a provider that could not be told that we leave.

Our controllers tell it as soon as it answers, and then take the tombstone away.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from liqo.api import labels
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key
from liqo.cli.peering.forgetting import declare
from liqo.cli.peering.remains import home_of
from liqo.cli.peering.sides import Side
from liqo.kube.cluster import Cluster
from liqo.kube.paths import Scope, named
from liqo.kube.reading import metadata
from liqo.kube.waiting import absent
from liqo.rules import names
from liqo.runtime.plan import Manifest

A_MOMENT = 5.0  # seconds, for a provider that answers to be told before we peer with it again


async def erect(consumer: Side, provider: str, here: str) -> bool:
    """Whether one stands now: of our credential, or since an earlier attempt to leave.

    The Identity may be gone already: its kubeconfig is kept until the provider was told, which is
    what a tombstone is for.
    """
    name = names.kubeconfig_secret(names.controlplane_identity(provider))
    credential = await consumer.find(Secret, Key(here, name)) if here else None
    if credential is None:
        return await consumer.find(Secret, _key(consumer, provider)) is not None
    await consumer.put(tombstone(consumer, provider, credential), Secret)
    return True


def tombstone(consumer: Side, provider: str, credential: Secret) -> Manifest:
    owners = (each.uid for each in credential.metadata.owner_references if each.kind == "Identity")
    key = _key(consumer, provider)
    about = {
        "name": key.name,
        "namespace": key.namespace,
        "labels": {labels.TOMBSTONE: "true", labels.REMOTE_CLUSTER_ID: provider},
        "annotations": {
            labels.REMOTE_TENANT_NAMESPACE: home_of(credential, consumer.id),
            labels.IDENTITY_UID: next(owners, ""),
        },
    }
    content = {"kubeconfig": credential.data["kubeconfig"]}
    return Manifest(Secret.KIND, {"metadata": about, "data": content})


async def pending(cluster: Cluster, namespace: str) -> list[str]:
    """The providers that still have to be told, by an installation in that namespace."""
    scope = Scope(namespace=namespace, labels=f"{labels.TOMBSTONE}=true")
    found = (await cluster.list(metadata(Secret), scope=scope, resource_version="")).items
    return sorted(each.metadata.labels.get(labels.REMOTE_CLUSTER_ID, "") for each in found)


def unheard_of(providers: Sequence[str], consumer: str, *, purge: bool) -> str:
    """What becomes of them where Liqo is uninstalled."""
    until = "any more" if purge else "until Liqo is installed here again"
    return (
        f"providers that did not answer when this cluster left are not told {until}: "
        f"{', '.join(providers)}; the administrator of each takes back what this cluster had there "
        f"with: liqoctl drain tenant {consumer}"
    )


async def withdrawn(consumer: Side, provider: str) -> None:
    """The provider knows."""
    key = _key(consumer, provider)
    await absent(consumer.cluster, metadata(Secret), named(key))


async def overturn(consumer: Side, provider: str) -> None:
    """We come back: what is being withdrawn gets a moment to end, and nothing more is."""
    key = _key(consumer, provider)
    if await consumer.find(Secret, key) is None:
        return
    if await consumer.find(ForeignCluster, Key("", provider)) is not None:
        await declare(consumer.cluster, Key("", provider), dead=False)
    try:
        async with asyncio.timeout(A_MOMENT):
            await withdrawn(consumer, provider)
    except TimeoutError:
        await consumer.remove(Secret, key)


def _key(consumer: Side, provider: str) -> Key:
    return Key(consumer.namespace, names.tombstone(provider))
