"""One pod at a time, in clusters that do nothing else: from its creation until it runs.

Beside it the same directly on the provider: what Kubernetes itself needs there.
"""

from __future__ import annotations

import asyncio
import statistics
import time

from bench.census import counted
from bench.figure import Figure, within
from bench.loan import SIMULATED, VIRTUAL, Loan, borrowed, extend
from bench.pods import Place, create
from liqo.api.kubernetes import Pod

PODS = 30
SETTLING = 10.0  # seconds after a peering
IDLE = 0.3  # seconds between two pods
BUDGET = 80.0  # ms


async def measure() -> list[Figure]:
    async with borrowed("bench-latency") as loan:
        return await figures(loan)


async def figures(loan: Loan) -> list[Figure]:
    await extend(loan, "latency")
    await loan.milan.kubectl("create", "namespace", "latency")
    await asyncio.sleep(SETTLING)
    vanilla = await latencies(Place(loan.abroad, "latency", SIMULATED))
    offloaded = await latencies(Place(loan.home, "latency", VIRTUAL))
    name = "a pod, from created to Running"
    return [
        Figure(f"{name}, directly on the provider, p50", statistics.median(vanilla) * 1e3, "ms"),
        within(f"{name}, p50 of {PODS}", statistics.median(offloaded) * 1e3, "ms", BUDGET),
        Figure(f"{name}, p95", statistics.quantiles(offloaded, n=20)[-1] * 1e3, "ms"),
    ]


async def latencies(place: Place) -> list[float]:
    """Of all but the first, which opens the connections."""
    found = []
    async with counted(place.cluster, Pod, place.running) as running:
        for number in range(PODS + 1):
            await asyncio.sleep(IDLE)
            began = time.perf_counter()
            await create(place, f"web-{number:03}")
            await running.rises_to(number + 1)
            found.append(time.perf_counter() - began)
    return found[1:]
