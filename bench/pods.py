"""Pods that start and end as fast as a cluster can: by a user who waits for nobody."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial

from bench.census import counted
from liqo.api.kubernetes import Deployment, Pod
from liqo.api.meta import JSON, Key
from liqo.kube.cluster import Cluster
from liqo.kube.paths import Scope

IN_FLIGHT = 16
RUNNING = "status.phase=Running"


@dataclass(frozen=True)
class Place:
    """Where pods are made, and what their spec says about where they go."""

    cluster: Cluster
    namespace: str
    spec: JSON
    token: bool = False  # of their service account, mounted

    @property
    def everything(self) -> Scope:
        return Scope(self.namespace)

    @property
    def running(self) -> Scope:
        return Scope(self.namespace, fields=RUNNING)


def a_pod(place: Place, name: str) -> JSON:
    container = {
        "name": "web",
        "image": "registry.example.com/shop/web:2.31.4",
        "env": [{"name": "LEVEL", "value": "info"}],
        "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": "web"}},
        "spec": {
            **place.spec,
            "automountServiceAccountToken": place.token,
            "containers": [container],
        },
    }


async def create(place: Place, name: str) -> None:
    body = a_pod(place, name)
    await place.cluster.create(body, kind=Pod.KIND, namespace=place.namespace, answer="metadata")


async def start(place: Place, names: Sequence[str]) -> float:
    """Seconds until all of them run, in a place that has no others."""
    async with counted(place.cluster, Pod, place.running) as running:
        began = time.perf_counter()
        await _each(names, partial(create, place))
        await running.rises_to(len(names))
        return time.perf_counter() - began


async def end(place: Place, names: Sequence[str], *elsewhere: Place) -> float:
    """Seconds until all of them are gone, from there and from where else they ran."""
    async with AsyncExitStack() as open_:
        found = [
            await open_.enter_async_context(counted(each.cluster, Pod, each.everything))
            for each in (place, *elsewhere)
        ]
        left = [census.now - len(names) for census in found]
        began = time.perf_counter()
        await _each(names, lambda name: _delete(place, name))
        for census, rest in zip(found, left, strict=True):
            await census.falls_to(rest)
        return time.perf_counter() - began


async def deploy(place: Place, count: int) -> float:
    """Seconds until all pods of a new Deployment run, in a place that has no others."""
    pod = a_pod(place, "web")
    marks = pod["metadata"]["labels"]
    body: JSON = {
        "apiVersion": Deployment.KIND.api_version,
        "kind": Deployment.KIND.name,
        "metadata": {"name": "web"},
        "spec": {
            "replicas": count,
            "selector": {"matchLabels": marks},
            "template": {"metadata": {"labels": marks}, "spec": pod["spec"]},
        },
    }
    async with counted(place.cluster, Pod, place.running) as running:
        began = time.perf_counter()
        await place.cluster.create(body, kind=Deployment.KIND, namespace=place.namespace)
        await running.rises_to(count)
        return time.perf_counter() - began


async def withdraw(place: Place, *elsewhere: Place) -> None:
    """The Deployment, and with it all its pods, also where else they ran."""
    await place.cluster.delete(
        Deployment.KIND, Key(place.namespace, "web"), propagation="Background"
    )
    for each in (place, *elsewhere):
        async with counted(each.cluster, Pod, each.everything) as left:
            await left.falls_to(0)


async def _delete(place: Place, name: str) -> None:
    await place.cluster.delete(Pod.KIND, Key(place.namespace, name))


async def _each(names: Sequence[str], act: Callable[[str], Awaitable[None]]) -> None:
    todo = iter(names)

    async def some() -> None:
        for name in todo:
            await act(name)

    async with asyncio.TaskGroup() as group:
        for _ in range(IN_FLIGHT):
            group.create_task(some())
