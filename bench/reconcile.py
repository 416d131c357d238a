"""CPU of a reconcile that has nothing to do: what a controller costs when all is as it should be.

Measured twice: a plan without actions, and a plan whose only action is already so.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Callable
from functools import partial

from bench.figure import Figure, within
from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import Key
from liqo.kube.cache import Cache, Caches
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.kube.paths import Scope
from liqo.runtime.controller import Controller, Desk, work
from liqo.runtime.execute import Author, Executor
from liqo.runtime.metrics import Metrics
from liqo.runtime.plan import NOTHING, Apply, Manifest, Plan, do

KEYS = 5_000
ROUNDS = 5
BUDGET = 30.0  # µs
KEY = Key("default", "bench-reconcile")
NAME = "bench/reconcile"
WANTED = Manifest(
    ConfigMap.KIND,
    {
        "metadata": {"name": KEY.name, "namespace": KEY.namespace, "labels": {"bench": "yes"}},
        "data": {"what": "an object of ordinary size", "why": "to be compared with itself"},
    },
)


async def measure(kubeconfig: str) -> list[Figure]:
    async with Cluster(from_kubeconfig(kubeconfig)) as cluster, asyncio.TaskGroup() as group:
        caches = Caches(cluster)
        cache = caches.of(ConfigMap, Scope(KEY.namespace))
        running = group.create_task(caches.run())
        await caches.wait_synced()
        executor = Executor({"local": caches})
        await executor.execute(Author(NAME, NAME), do(Apply(WANTED)))
        figures = [
            await _figure("reconcile, nothing is wanted", cache, executor, lambda _: NOTHING),
            await _figure(
                "reconcile, what is wanted is so", cache, executor, lambda _: do(Apply(WANTED))
            ),
        ]
        running.cancel()
        await cluster.delete(ConfigMap.KIND, KEY)
    return figures


async def _figure(
    name: str, cache: Cache[ConfigMap], executor: Executor, plan: Callable[[ConfigMap], Plan]
) -> Figure:
    """The median of some rounds: who else uses the machine is not our figure."""
    rounds = [await _round(cache, executor, plan) for _ in range(ROUNDS)]
    micros = statistics.median(rounds) / KEYS * 1e6
    return within(name, micros, "µs CPU", BUDGET)


async def _round(
    cache: Cache[ConfigMap], executor: Executor, plan: Callable[[ConfigMap], Plan]
) -> float:
    """Seconds of CPU for all keys, from entering the queue to the end of their plans."""
    todo = KEYS

    def observe(_: Key) -> ConfigMap | None:
        nonlocal todo
        todo -= 1
        if not todo:
            desk.queue.close()  # the worker ends with this one
        return cache.get(KEY)

    desk = Desk(Controller(NAME, {}, observe, plan), Metrics())
    began = time.process_time()
    for number in range(KEYS):
        desk.queue.add(Key(f"namespace-{number % 10}", str(number)))
    await work(desk, partial(executor.execute, Author(NAME, NAME)))
    return time.process_time() - began
