"""`kubectl exec -- true` in a pod that runs elsewhere: how much longer than directly there."""

from __future__ import annotations

import statistics
import time

from bench.figure import Figure, within
from bench.guest import NAME, Guest, Way, hosted
from bench.installed import cpu_of, process_of

TIMES = 30
BUDGET = 28.0  # ms, which is what the original needs


async def measure() -> list[Figure]:
    async with hosted("bench-exec", "") as guest:
        return await figures(guest)


async def figures(guest: Guest) -> list[Figure]:
    kubelet = process_of(guest.loan.rome, "virtual kubelet")
    for way in (guest.directly, guest.through):
        await one(way)  # opens the files, and connections of the API servers
    before = cpu_of(kubelet)
    taken = [(await one(guest.directly), await one(guest.through)) for _ in range(TIMES)]
    spent = cpu_of(kubelet) - before
    directly, through = (statistics.median(each) * 1e3 for each in zip(*taken, strict=True))
    name = "kubectl exec -- true"
    return [
        Figure(f"{name}, directly on the provider, p50", directly, "ms"),
        Figure(f"{name}, p50 of {TIMES}", through, "ms"),
        within(f"{name}, how much longer", through - directly, "ms", BUDGET),
        Figure("kubelet, CPU for an exec", spent / TIMES * 1e3, "ms"),
    ]


async def one(way: Way) -> float:
    """Seconds."""
    began = time.perf_counter()
    await way.kubectl("exec", NAME, "--", "true")
    return time.perf_counter() - began
