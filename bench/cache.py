"""Ten thousand pods in a cache: time to sync, memory, pauses of the collector and of the loop."""

from __future__ import annotations

import asyncio
import gc
import resource
import statistics
import time
from pathlib import Path

from bench.figure import Figure, within
from bench.population import populated
from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON
from liqo.kube.cache import Cache
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import from_kubeconfig

PODS = 10_000
TOUCHED = 300  # pods that change after the sync, while the loop is watched
TICK = 0.002  # seconds


class Stall:
    """The longest that the event loop kept a timer waiting."""

    def __init__(self) -> None:
        self.longest = 0.0

    async def watch(self) -> None:
        while True:
            asleep = time.perf_counter()
            await asyncio.sleep(TICK)
            self.longest = max(self.longest, time.perf_counter() - asleep - TICK)

    def reset(self) -> float:
        longest, self.longest = self.longest, 0.0
        return longest


async def measure(kubeconfig: str) -> list[Figure]:
    async with (
        Cluster(from_kubeconfig(kubeconfig)) as cluster,
        populated(cluster, PODS) as scope,
        asyncio.TaskGroup() as group,
    ):
        stall = Stall()
        watching = group.create_task(stall.watch())
        cache = Cache(cluster, Pod, scope)
        gc.collect()
        gc.freeze()  # as a program does when it has started: modules are no garbage
        before, began = _resident(), time.perf_counter()
        stall.reset()
        running = group.create_task(cache.run())
        await cache.wait_synced()
        took, during = time.perf_counter() - began, stall.reset()
        pause = _collect()
        memory = (_resident() - before) / len(cache)
        stall.reset()
        await _touch(cluster, cache)
        figures = _figures(took, memory, pause, (during, stall.reset()))
        gc.unfreeze()
        watching.cancel()
        running.cancel()
    return figures


def _figures(took: float, memory: float, pause: float, stalls: tuple[float, float]) -> list[Figure]:
    return [
        Figure(f"sync of {PODS} pods", took, "s"),
        within("memory of a cached pod", memory / 1024, "KB", 6),
        within(f"full collection at {PODS} pods", pause * 1e3, "ms", 20),
        within("longest stall of the loop, during the sync", stalls[0] * 1e3, "ms", 100),
        within("longest stall of the loop, afterwards", stalls[1] * 1e3, "ms", 50),
    ]


def _collect() -> float:
    """The median of five: who else uses the machine is not our figure."""
    passes = []
    for _ in range(5):
        began = time.perf_counter()
        gc.collect()
        passes.append(time.perf_counter() - began)
    return statistics.median(passes)


def _resident() -> int:
    """Bytes of memory that this process really holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


async def _touch(cluster: Cluster, cache: Cache[Pod]) -> None:
    """Change some pods, and wait until the cache has seen them all."""
    seen = asyncio.Semaphore(0)
    cache.subscribe(lambda old, new: seen.release() if old is not None else None)
    for pod in cache.values()[:TOUCHED]:
        body: JSON = {"metadata": {"labels": {"touched": "yes"}}}
        await cluster.patch(Pod.KIND, pod.key, body, how="merge", answer="metadata")
    async with asyncio.timeout(30):
        for _ in range(TOUCHED):
            await seen.acquire()
