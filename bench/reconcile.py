"""CPU of a reconcile that has nothing to do: what a controller costs when all is as it should be.

Measured twice: a plan without actions, and a plan whose only action is already so.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from functools import partial

from bench.figure import Figure
from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import Key, Resource
from liqo.kube.cache import Caches
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
WANTED = Manifest(
    ConfigMap.KIND,
    {
        "metadata": {"name": KEY.name, "namespace": KEY.namespace, "labels": {"bench": "yes"}},
        "data": {"what": "an object of ordinary size", "why": "to be compared with itself"},
    },
)


async def measure(kubeconfig: str) -> list[Figure]:
    async with (
        Cluster(from_kubeconfig(kubeconfig)) as cluster,
        asyncio.TaskGroup() as group,
    ):
        caches = Caches(cluster)
        followed = caches.of(ConfigMap, Scope(KEY.namespace))
        running = group.create_task(caches.run())
        await caches.wait_synced()
        executor = Executor({"local": caches})
        author = Author("bench/reconcile", "bench/reconcile")
        await executor.execute(author, do(Apply(WANTED)))
        figures = [
            await _figure("nothing is wanted", lambda _: NOTHING, executor),
            await _figure("what is wanted is so", lambda _: do(Apply(WANTED)), executor),
        ]
        running.cancel()
        written = followed.get(KEY)
        assert written is not None
        await cluster.delete(ConfigMap.KIND, KEY, uid=written.metadata.uid)
    return figures
