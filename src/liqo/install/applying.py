"""Puts manifests into a cluster, takes away what an older version had, and waits until it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import groupby
from typing import TypeAlias

from liqo.api import metrics
from liqo.api.aggregation import APIService
from liqo.api.core import ForeignCluster
from liqo.api.ipam import Network
from liqo.api.kubernetes import CustomResourceDefinition, Deployment, Pod
from liqo.api.meta import JSON, Key, Kind
from liqo.errors import LiqoError
from liqo.install import marks
from liqo.install.kinds import REST, key_of, kind_of
from liqo.install.readiness import is_available, is_established, is_ready, why_not
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Conflict, KubeError, NotFound, ServerFault
from liqo.kube.http import Request
from liqo.kube.paths import Scope, collection, query
from liqo.kube.reading import Metadata, Reading, encode
from liqo.kube.waiting import until, until_all
from liqo.provider.metricsapi import API
from liqo.rules import names

Step: TypeAlias = Callable[[str], AbstractContextManager[None]]

MANAGER = "liqoctl"
SOON = 0.2  # seconds: a definition is established a moment before its kind is served
EXPLAINING = 10.0  # seconds, after a time-out, to find out why


async def apply(cluster: Cluster, manifests: Sequence[JSON]) -> None:
    """Kind by kind, in their order; those of one kind at once."""
    for kind, group in groupby(manifests, kind_of):
        async with asyncio.TaskGroup() as tasks:
            for each in group:
                tasks.create_task(_apply(cluster, kind, each))
        if kind == CustomResourceDefinition.KIND:
            await _established(cluster, manifests)
    await _prune(cluster, manifests)


async def _apply(cluster: Cluster, kind: Kind, manifest: JSON) -> None:
    key = key_of(manifest)
    body = {name: value for name, value in manifest.items() if name != "status"}
    while True:
        try:
            await cluster.apply(body, kind=kind, key=key, manager=MANAGER, answer="metadata")
            break
        except NotFound:
            await asyncio.sleep(SOON)
    if kind == Network.KIND:  # nobody else would: there is no IPAM
        said = {name: manifest[name] for name in ("apiVersion", "kind", "status")}
        body = {**said, "metadata": {"name": key.name, "namespace": key.namespace}}
        await cluster.apply(body, kind=kind, key=key, manager=MANAGER, subresource="status")


async def _established(cluster: Cluster, manifests: Iterable[JSON]) -> None:
    wanted = {
        key_of(each).name for each in manifests if kind_of(each) == CustomResourceDefinition.KIND
    }

    def all_of_them(found: Sequence[CustomResourceDefinition]) -> bool:
        return wanted <= {each.metadata.name for each in found if is_established(each)}

    await until_all(cluster, CustomResourceDefinition, Scope(), all_of_them)


async def _prune(cluster: Cluster, manifests: Sequence[JSON]) -> None:
    """What an older version or other settings made, and these do not."""
    wanted = {(kind_of(each), key_of(each)) for each in manifests}
    for kind, key in await ours(cluster):
        if (kind, key) not in wanted:
            await gone(cluster, kind, key)


async def ours(cluster: Cluster, kinds: Iterable[Kind] = REST) -> list[tuple[Kind, Key]]:
    """Everything that an installation left here; kinds that are not served have none."""
    found: list[tuple[Kind, Key]] = []
    for kind in kinds:
        try:
            listed = await cluster.list(
                Reading(kind, Metadata), scope=Scope(labels=marks.OURS), resource_version=""
            )
        except NotFound:
            continue
        found += [(kind, each.key) for each in listed.items]
    return found


async def gone(cluster: Cluster, kind: Kind, key: Key) -> None:
    with suppress(NotFound):
        await cluster.delete(kind, key, propagation="Background")


def deployments(manifests: Iterable[JSON]) -> list[Key]:
    return [key_of(each) for each in manifests if kind_of(each) == Deployment.KIND]


async def explain(cluster: Cluster, deployment: Key) -> str:
    """Why it is not ready, from what its pods say."""
    try:
        async with asyncio.timeout(EXPLAINING):
            found = await cluster.get(Deployment, deployment)
            chosen = found.spec["selector"]["matchLabels"]
            selector = ",".join(f"{name}={value}" for name, value in chosen.items())
            scope = Scope(namespace=deployment.namespace, labels=selector)
            pods = (await cluster.list(Pod, scope=scope, resource_version="")).items
    except TimeoutError:
        return f'the Deployment "{deployment.name}": the API server does not answer'
    except KubeError as wrong:
        return f'the Deployment "{deployment.name}": {wrong}'
    newest = sorted(pods, key=lambda pod: pod.metadata.creation_timestamp or "", reverse=True)
    return why_not(found, newest)


async def answered(cluster: Cluster) -> None:
    """Until the API server reaches our webhooks: ready pods are a moment ahead of their Service."""
    probe = {
        "apiVersion": ForeignCluster.KIND.api_version,
        "kind": ForeignCluster.KIND.name,
        "metadata": {"name": "probe"},
        "spec": {"clusterID": "probe"},
    }
    path = query(collection(ForeignCluster.KIND), dryRun="All")
    while True:
        try:
            await cluster.request(Request("POST", path, encode(probe)))
            return
        except Conflict:
            return  # there is a cluster of that name, and whoever says so has been asked
        except ServerFault:
            await asyncio.sleep(SOON)


async def installed(
    cluster: Cluster, manifests: Sequence[JSON], timeout: float, step: Step
) -> None:
    """All of it: applied, running, and answering. `step` shows what is being done."""
    awaited: Key | None = None
    why = "the manifests are not applied yet"
    try:
        async with asyncio.timeout(timeout):
            with step(f"Applying {len(manifests)} manifests"):
                await apply(cluster, manifests)
            for awaited in deployments(manifests):
                with step(f'Waiting for the Deployment "{awaited.name}"'):
                    await until(cluster, Deployment, awaited, is_ready)
            awaited, why = None, "the API server does not reach the webhooks"
            with step("Waiting for the webhooks to answer"):
                await answered(cluster)
            if names.METRIC_AGENT in {each.name for each in deployments(manifests)}:
                why = f"the API server does not reach {metrics.GROUP}"
                with step("Waiting for the metric agent to answer"):
                    await until(cluster, APIService, API, is_available)
    except TimeoutError:
        seen = await explain(cluster, awaited) if awaited else why
        raise LiqoError(
            f"timed out waiting for the condition: {seen} "
            f"(waited {timeout:g} s; what was applied stays)"
        ) from None
