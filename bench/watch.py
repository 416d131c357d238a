"""CPU of the client for one event of a watch, and events per second.

A watch from version 0 begins with everything that the API server has in memory: a stream as fast
as it can send.
"""

from __future__ import annotations

import statistics
import time
from contextlib import aclosing

from bench.figure import Figure, within
from bench.population import populated
from liqo.api.kubernetes import Pod
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.kube.paths import Scope

PODS = 3000
ROUNDS = 5
BUDGET = 110.0  # µs


async def measure(kubeconfig: str) -> list[Figure]:
    async with (
        Cluster(from_kubeconfig(kubeconfig)) as cluster,
        populated(cluster, PODS) as scope,
    ):
        rounds = [await _watch(cluster, scope) for _ in range(ROUNDS)]
    cost = statistics.median(cpu for cpu, _ in rounds)
    rate = statistics.median(rate for _, rate in rounds)
    return [
        within("watch event CPU, pod of 7 KB", cost, "µs", BUDGET),
        Figure("watch events", rate, "1/s"),
    ]


async def _watch(cluster: Cluster, scope: Scope) -> tuple[float, float]:
    """Microseconds of CPU for one event, and events per second."""
    cpu, wall = time.process_time(), time.perf_counter()
    count = 0
    async with aclosing(cluster.watch(Pod, scope=scope, resource_version="0")) as changes:
        async for _ in changes:
            count += 1
            if count == PODS:
                break
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return cpu / PODS * 1e6, PODS / wall
