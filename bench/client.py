"""CPU of the client for one request: ours, raw aiohttp, and the two well-known clients.

All four read the same pod of 7 KB from the same API server, 16 requests in flight, in turns.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager

import aiohttp
import kubernetes_asyncio
import lightkube
from lightkube.resources.core_v1 import Pod as LightkubePod

from bench.figure import Figure, within
from bench.population import name_of, populated
from liqo.api.kubernetes import Pod
from liqo.api.meta import Key
from liqo.kube.cluster import Cluster
from liqo.kube.credentials import Credentials
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.kube.paths import instance

IN_FLIGHT = 16
ROUNDS = 25  # short ones, in turns: a busy moment of the machine spoils few of them
BUDGET = 1.3  # of raw aiohttp

Get = Callable[[], Awaitable[object]]


async def measure(kubeconfig: str) -> list[Figure]:
    async with (
        Cluster(from_kubeconfig(kubeconfig)) as cluster,
        populated(cluster, 1) as scope,
        _raw(kubeconfig, key := Key(scope.namespace, name_of(0))) as raw,
        _kubernetes_asyncio(kubeconfig, key) as generated,
        _lightkube(kubeconfig, key) as light,
    ):
        contestants: dict[str, tuple[Get, int]] = {
            "raw aiohttp": (raw, 160),
            "liqo": (lambda: cluster.get(Pod, key), 160),
            "lightkube": (light, 32),
            "kubernetes_asyncio": (generated, 32),
        }
        return _figures(await _compare(contestants))


def _figures(costs: dict[str, list[float]]) -> list[Figure]:
    pairs = zip(costs["liqo"], costs["raw aiohttp"], strict=True)
    ratio = statistics.median(ours / raw for ours, raw in pairs)
    figures = [
        Figure(f"request CPU, {name}", statistics.median(measured), "µs")
        for name, measured in costs.items()
    ]
    return [*figures, within("request CPU, liqo / raw aiohttp", ratio, "times", BUDGET)]


async def _compare(contestants: dict[str, tuple[Get, int]]) -> dict[str, list[float]]:
    costs: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(ROUNDS):
        for name, (get, requests) in contestants.items():
            costs[name].append(await _cost(get, requests))
    return costs


async def _cost(get: Get, requests: int) -> float:
    """Microseconds of CPU for one request."""
    await get()  # a connection is there
    numbers = iter(range(requests))
    began = time.process_time()
    async with asyncio.TaskGroup() as group:
        for _ in range(IN_FLIGHT):
            group.create_task(_repeat(get, numbers))
    return (time.process_time() - began) / requests * 1e6


async def _repeat(get: Get, numbers: Iterator[int]) -> None:
    for _ in numbers:
        await get()


@asynccontextmanager
async def _raw(kubeconfig: str, key: Key) -> AsyncIterator[Get]:
    access = from_kubeconfig(kubeconfig)
    presented = await Credentials(access).current()
    url = access.server + instance(Pod.KIND, key)
    connector = aiohttp.TCPConnector(ssl=presented.tls or True)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def get() -> bytes:
            async with session.get(url, headers=dict(presented.headers)) as response:
                return await response.read()

        yield get


@asynccontextmanager
async def _kubernetes_asyncio(kubeconfig: str, key: Key) -> AsyncIterator[Get]:
    await kubernetes_asyncio.config.load_kube_config(kubeconfig)
    async with kubernetes_asyncio.client.ApiClient() as api:
        core = kubernetes_asyncio.client.CoreV1Api(api)
        yield lambda: core.read_namespaced_pod(key.name, key.namespace)


@asynccontextmanager
async def _lightkube(kubeconfig: str, key: Key) -> AsyncIterator[Get]:
    client = lightkube.AsyncClient(lightkube.KubeConfig.from_file(kubeconfig))
    try:
        yield lambda: client.get(LightkubePod, key.name, namespace=key.namespace)
    finally:
        await client.close()
