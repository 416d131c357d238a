"""What tests do with a cluster: a namespace of their own, simple objects, who am I."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from liqo.api.kubernetes import ConfigMap, Namespace
from liqo.api.meta import JSON, Key, Kind
from liqo.kube.cluster import Cluster

WHO = Kind(
    "authentication.k8s.io", "v1", "SelfSubjectReview", "selfsubjectreviews", namespaced=False
)


@asynccontextmanager
async def a_namespace(cluster: Cluster) -> AsyncIterator[str]:
    body: JSON = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"generateName": "test-"}}
    made = await cluster.create(body, kind=Namespace.KIND)
    name: str = made["metadata"]["name"]
    try:
        yield name
    finally:
        await cluster.delete(Namespace.KIND, Key("", name))


def a_config(name: str, **entries: str) -> JSON:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": entries}


async def put(cluster: Cluster, key: Key, **entries: str) -> JSON:
    body = a_config(key.name, **entries)
    return await cluster.apply(body, kind=ConfigMap.KIND, key=key, manager="test")


async def user_of(cluster: Cluster) -> str:
    """Who we are to that API server."""
    body: JSON = {"apiVersion": WHO.api_version, "kind": WHO.name}
    answer = await cluster.create(body, kind=WHO)
    name: str = answer["status"]["userInfo"]["username"]
    return name
