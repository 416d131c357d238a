"""A virtual kubelet that is told to go: until its successor runs pods."""

from __future__ import annotations

import asyncio
import statistics
import time

from bench.census import counted
from bench.figure import Figure, within
from bench.installed import processes
from bench.loan import MAP, VIRTUAL, Loan, borrowed, extend
from bench.pods import Place, create
from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.kube.paths import Scope

NAME = "a kubelet told to go, until its successor runs a pod"
ROUNDS = 5
SETTLING = 5.0  # seconds
LOOK = 0.02  # seconds
BUDGET = 3.0  # seconds; the original waits 20 to 40 for its lease


async def measure() -> list[Figure]:
    async with borrowed("bench-restart") as loan:
        await extend(loan, "restart")
        place = Place(loan.home, "restart", VIRTUAL)
        await create(place, "first")
        async with counted(loan.home, Pod, place.running) as running:
            await running.rises_to(1)
            took = []
            for number in range(ROUNDS):
                await asyncio.sleep(SETTLING)
                began = time.perf_counter()
                await end_kubelet(loan)
                await create(place, f"web-{number}")
                await running.rises_to(2 + number)
                took.append(time.perf_counter() - began)
    print("    seconds:", *(f"{each:.2f}" for each in took))
    return [
        within(NAME, statistics.median(took), "s", BUDGET),
        Figure("the same, the slowest", max(took), "s"),
    ]


async def end_kubelet(loan: Loan) -> None:
    """Told, and waited for: what comes now is its successor's."""
    [old] = kubelets(loan)
    scope = Scope(MAP.namespace, f"{labels.VIRTUAL_NODE}=milan")
    for pod in (await loan.home.list(Pod, scope=scope)).items:
        await loan.home.delete(Pod.KIND, pod.key)
    while old in kubelets(loan):  # noqa: ASYNC110 - a process that ends tells nobody
        await asyncio.sleep(LOOK)


def kubelets(loan: Loan) -> list[int]:
    return [pid for pid, name in processes(loan.rome).items() if name == "virtual kubelet"]
