"""Takes an installation away. Nothing here waits for ever, whoever is dead or hangs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from liqo.api import authentication, core, ipam, labels, networking, offloading
from liqo.api.aggregation import APIService
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import (
    CustomResourceDefinition,
    Deployment,
    Namespace,
    RoleBinding,
    Secret,
)
from liqo.api.meta import Key, Kind
from liqo.install import rights
from liqo.install.applying import gone, ours
from liqo.install.kinds import REST, WEBHOOKS
from liqo.install.marks import OURS
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.kube.paths import EVERYTHING, Scope
from liqo.kube.reading import Metadata, Reading
from liqo.kube.waiting import absent
from liqo.provider.metricsapi import API
from liqo.rules import names

GROUPS = (authentication, core, ipam, networking, offloading)
KINDS = tuple(crd.model.KIND for group in GROUPS for crd in group.CRDS)
TENANT_NAMESPACES = Scope(labels=labels.TENANT_NAMESPACE)
STORAGE_NAMESPACES = Scope(labels=labels.STORAGE_PROVISIONER)
LETTING_GO = 10.0  # seconds that controllers get for their finalizers, before we take them away


async def uninstall(cluster: Cluster, namespace: str) -> None:
    """First what calls us: with nobody behind it, it would refuse or hold up the rest."""
    for kind, key in await ours(cluster, WEBHOOKS):
        await gone(cluster, kind, key)
    await unregister(cluster, namespace)
    await empty(cluster, ForeignCluster.KIND)
    for kind, key in await ours(cluster, reversed(REST)):
        await gone(cluster, kind, key)
    await gone(cluster, Secret.KIND, Key(namespace, rights.WEBHOOK_CERTIFICATE))
    for kind in REST:
        await _absent(cluster, kind)
    await gone(cluster, APIService.KIND, API)  # they may have restored it before they knew


async def unregister(cluster: Cluster, namespace: str) -> None:
    """The API of the metric agent. While that is available, the controllers would restore it."""
    await gone(cluster, Deployment.KIND, Key(namespace, names.METRIC_AGENT))
    await gone(cluster, APIService.KIND, API)


async def _absent(cluster: Cluster, kind: Kind) -> None:
    try:
        await absent(cluster, Reading(kind, Metadata), Scope(labels=OURS))
    except NotFound:
        return


async def empty(cluster: Cluster, kind: Kind, scope: Scope = EVERYTHING) -> None:
    """Delete all of a kind. Who holds one may let go; who does not in time is not asked again."""
    reading = Reading(kind, Metadata)
    try:
        there = (await cluster.list(reading, scope=scope, resource_version="")).items
    except NotFound:
        return
    for each in there:
        await gone(cluster, kind, each.key)
    try:
        async with asyncio.timeout(LETTING_GO):
            await absent(cluster, reading, scope)
    except TimeoutError:
        held = (await cluster.list(reading, scope=scope, resource_version="")).items
        await _release(cluster, kind, held)
        await absent(cluster, reading, scope)


async def _release(cluster: Cluster, kind: Kind, held: Sequence[Metadata]) -> None:
    for each in held:
        try:
            await cluster.patch(kind, each.key, {"metadata": {"finalizers": None}}, how="merge")
        except NotFound:
            continue


async def purge_definitions(cluster: Cluster) -> None:
    """All our kinds, and so every object of them."""
    async with asyncio.TaskGroup() as tasks:
        for kind in KINDS:
            tasks.create_task(_purge(cluster, kind))


async def _purge(cluster: Cluster, kind: Kind) -> None:
    await empty(cluster, kind)
    name = f"{kind.plural}.{kind.group}"
    await gone(cluster, CustomResourceDefinition.KIND, Key("", name))
    reading = Reading(CustomResourceDefinition.KIND, Metadata)
    await absent(cluster, reading, Scope(fields=f"metadata.name={name}"))


async def purge_namespaces(cluster: Cluster, namespace: str) -> None:
    tenants = await cluster.list(Namespace, scope=TENANT_NAMESPACES, resource_version="")
    storage = await cluster.list(Namespace, scope=STORAGE_NAMESPACES, resource_version="")
    names = [each.metadata.name for each in (*tenants.items, *storage.items)]
    async with asyncio.TaskGroup() as tasks:
        for name in (*names, namespace):
            tasks.create_task(_remove_namespace(cluster, name))


async def _remove_namespace(cluster: Cluster, name: str) -> None:
    """What controllers held in it has nobody left who could let go."""
    await gone(cluster, Namespace.KIND, Key("", name))
    for kind in (Secret.KIND, RoleBinding.KIND):
        found = await cluster.list(
            Reading(kind, Metadata), scope=Scope(namespace=name), resource_version=""
        )
        await _release(cluster, kind, [each for each in found.items if _is_held(each)])
    reading = Reading(Namespace.KIND, Metadata)
    await absent(cluster, reading, Scope(fields=f"metadata.name={name}"))


def _is_held(thing: Metadata) -> bool:
    ours = {labels.REPLICATOR_FINALIZER, labels.TENANT_BINDING_FINALIZER}
    return not ours.isdisjoint(thing.metadata.finalizers)


async def left(cluster: Cluster, namespace: str) -> str:
    """What is still there, for whoever waited in vain for its end."""
    things = [f"{kind.name} {key}" for kind, key in await ours(cluster)]
    for scope in (TENANT_NAMESPACES, Scope(fields=f"metadata.name={namespace}")):
        homes = (await cluster.list(Namespace, scope=scope, resource_version="")).items
        leaving = [each for each in homes if each.metadata.deletion_timestamp]
        things += [f"Namespace {each.key}" for each in leaving]
    return ", ".join(things) or "objects of our kinds"
