"""Pods for a benchmark: as large as real ones, bound to no node, in a namespace of their own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress

from liqo.api.kubernetes import Namespace, Pod, ServiceAccount
from liqo.api.meta import JSON, Key
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Conflict
from liqo.kube.http import Request
from liqo.kube.paths import Scope, collection, query

IN_FLIGHT = 16


@asynccontextmanager
async def populated(cluster: Cluster, count: int) -> AsyncIterator[Scope]:
    """A new namespace with that many pods of 7 KB; gone again afterwards."""
    namespace = await _namespace(cluster)
    try:
        numbers = iter(range(count))
        async with asyncio.TaskGroup() as group:
            for _ in range(IN_FLIGHT):
                group.create_task(_create(cluster, namespace, numbers))
        yield Scope(namespace=namespace)
    finally:
        await _clear(cluster, namespace)


def name_of(number: int) -> str:
    return f"backend-{number:05}"


def a_pod(name: str) -> JSON:
    containers = [
        {
            "name": f"container-{number}",
            "image": "registry.example.com/shop/backend:2.31.4",
            "args": ["--listen=:8080", "--log-level=info", "--database=postgres"],
            "env": [{"name": f"SETTING_{each}", "value": f"value-{each}"} for each in range(14)],
            "ports": [{"name": "http", "containerPort": 8080}],
            "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}},
            "readinessProbe": {"httpGet": {"path": "/ready", "port": 8080}},
            "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}],
        }
        for number in range(2)
    ]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "labels": {"app": "backend", "pod-template-hash": "5d4f8c7b9", "tier": "shop"},
            "annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "8080"},
        },
        "spec": {
            "schedulerName": "nobody",
            "automountServiceAccountToken": False,
            "containers": containers,
            "volumes": [{"name": "scratch", "emptyDir": {}}],
        },
    }


async def _namespace(cluster: Cluster) -> str:
    body: JSON = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"generateName": "bench-"}}
    made = await cluster.create(body, kind=Namespace.KIND)
    name: str = made["metadata"]["name"]
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
    with suppress(Conflict):  # the controller manager was faster
        await cluster.create(account, kind=ServiceAccount.KIND, namespace=name)
    return name


async def _create(cluster: Cluster, namespace: str, numbers: Iterator[int]) -> None:
    for number in numbers:
        pod = a_pod(name_of(number))
        await cluster.create(pod, kind=Pod.KIND, namespace=namespace, answer="metadata")


async def _clear(cluster: Cluster, namespace: str) -> None:
    """Pods first, without grace and a thousand at a time: nobody runs them."""
    path = query(collection(Pod.KIND, namespace), gracePeriodSeconds="0", limit=1000)
    while (await cluster.list(Pod, scope=Scope(namespace=namespace), resource_version="")).items:
        await cluster.request(Request("DELETE", path))
    await cluster.delete(Namespace.KIND, Key("", namespace))
