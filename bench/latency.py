"""One pod at a time, in clusters that do nothing else: from its creation until it runs.

Beside it the same directly on the provider: what Kubernetes itself needs there. And of one that is
offloaded, how long it takes to the provider, and how long its status needs on the way back.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass

from bench.census import Census, counted
from bench.figure import Figure, within
from bench.loan import SIMULATED, VIRTUAL, Loan, borrowed, extend
from bench.pods import Place, create
from liqo.api.kubernetes import Pod

PODS = 30
SETTLING = 10.0  # seconds after a peering
IDLE = 0.3  # seconds between two pods
BUDGET = 80.0  # ms
OUT, BACK = (45.0, 120.0), (15.0, 40.0)  # ms: p50 and p95


@dataclass(frozen=True)
class Journey:
    """Seconds after a pod was created."""

    arrived: float  # the remote pod is there
    ran: float  # it runs
    told: float  # and that is known at home


async def measure() -> list[Figure]:
    async with borrowed("bench-latency") as loan:
        return await figures(loan)


async def figures(loan: Loan) -> list[Figure]:
    remote = await extend(loan, "latency")
    await loan.milan.kubectl("create", "namespace", "latency")
    await asyncio.sleep(SETTLING)
    vanilla = Place(loan.abroad, "latency", SIMULATED)
    home, abroad = Place(loan.home, "latency", VIRTUAL), Place(loan.abroad, remote, SIMULATED)
    directly = [each.told for each in await journeys(vanilla, vanilla)]
    offloaded = await journeys(home, abroad)
    whole = [each.told for each in offloaded]
    name = "a pod, from created to Running"
    return [
        Figure(f"{name}, directly on the provider, p50", statistics.median(directly) * 1e3, "ms"),
        within(f"{name}, p50 of {PODS}", statistics.median(whole) * 1e3, "ms", BUDGET),
        Figure(f"{name}, p95", p95(whole) * 1e3, "ms"),
        *both(
            "a pod, from created until it is on the provider", [e.arrived for e in offloaded], OUT
        ),
        *both("its status, on the way back", [e.told - e.ran for e in offloaded], BACK),
    ]


def both(name: str, found: list[float], most: tuple[float, float]) -> Iterator[Figure]:
    yield within(f"{name}, p50", statistics.median(found) * 1e3, "ms", most[0])
    yield within(f"{name}, p95", p95(found) * 1e3, "ms", most[1])


def p95(found: list[float]) -> float:
    return statistics.quantiles(found, n=20)[-1]


async def journeys(home: Place, abroad: Place) -> list[Journey]:
    """Of all but the first, which opens the connections."""
    found = []
    async with AsyncExitStack() as open_:

        async def census(place: Place, *, running: bool) -> Census:
            scope = place.running if running else place.everything
            return await open_.enter_async_context(counted(place.cluster, Pod, scope))

        there = await census(abroad, running=False)
        runs = await census(abroad, running=True)
        told = await census(home, running=True)
        for number in range(PODS + 1):
            await asyncio.sleep(IDLE)
            began, count = time.perf_counter(), number + 1
            await create(home, f"web-{number:03}")
            async with asyncio.TaskGroup() as tasks:
                waits = [stamped(each.rises_to(count)) for each in (there, runs, told)]
                seen = [tasks.create_task(each) for each in waits]
            found.append(Journey(*(each.result() - began for each in seen)))
    return found[1:]


async def stamped(what: Coroutine[None, None, None]) -> float:
    """When it was done."""
    await what
    return time.perf_counter()
