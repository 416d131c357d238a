"""What follows pods: how soon a change is on the other side, and what thousands of objects cost."""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from bench import audit
from bench.census import counted
from bench.figure import Figure, within
from bench.installed import resident
from bench.loan import Loan, borrowed, extend
from bench.restart import end_kubelet, kubelets
from liqo.api import labels
from liqo.api.kubernetes import ConfigMap, EndpointSlice
from liqo.api.meta import JSON, Kind, Resource
from liqo.kube.paths import Scope

OBJECTS = int(os.environ.get("OBJECTS", "2000"))
ROUNDS = 30
ADDRESSES = 100
IN_FLIGHT = 16
SETTLING = 10.0  # seconds after a peering
IDLE = 0.3  # seconds between two objects
AFTERMATH = 5.0  # seconds in which everything is written that still follows
BUDGETS = {ConfigMap.KIND.name: 50.0, EndpointSlice.KIND.name: 30.0}  # ms
COPIES = f"{labels.ORIGIN}=rome"


async def measure() -> list[Figure]:
    async with borrowed("bench-reflection", audit=True) as loan:
        there = await extend(loan, "shop")
        await asyncio.sleep(SETTLING)
        shop = Shop(loan, "shop", there)
        return [
            *await latency(shop, ConfigMap, a_config_map),
            *await latency(shop, EndpointSlice, a_slice),
            *await crowd(shop),
        ]


@dataclass(frozen=True)
class Shop:
    loan: Loan
    here: str
    there: str

    @property
    def copies(self) -> Scope:
        return Scope(self.there, labels=COPIES)

    async def create(self, kind: Kind, body: JSON) -> None:
        whole = {"apiVersion": kind.api_version, "kind": kind.name, **body}
        await self.loan.home.create(whole, kind=kind, namespace=self.here)


def a_config_map(number: int) -> JSON:
    return {"metadata": {"name": f"settings-{number:05}"}, "data": {"number": str(number) * 20}}


def a_slice(number: int) -> JSON:
    addresses = [f"192.0.{number}.{each}" for each in range(ADDRESSES)]
    return {
        "metadata": {"name": f"web-{number:05}", "labels": {labels.SERVICE_NAME: "web"}},
        "addressType": "IPv4",
        "endpoints": [{"addresses": [each], "conditions": {"ready": True}} for each in addresses],
        "ports": [{"name": "http", "port": 80, "protocol": "TCP"}],
    }


async def latency(shop: Shop, model: type[Resource], body: Callable[[int], JSON]) -> list[Figure]:
    """Of all but the first, which opens the connections."""
    took = []
    async with counted(shop.loan.abroad, model, shop.copies) as there:
        present = there.now
        for number in range(ROUNDS + 1):
            await asyncio.sleep(IDLE)
            began = time.perf_counter()
            await shop.create(model.KIND, body(number))
            await there.rises_to(present + number + 1)
            took.append((time.perf_counter() - began) * 1e3)
    name, kind = "from created here to being there", model.KIND.name
    return [
        within(f"{kind}, {name}, p50", statistics.median(took[1:]), "ms", BUDGETS[kind]),
        Figure(f"{kind}, {name}, p95", statistics.quantiles(took[1:], n=20)[-1], "ms"),
    ]


async def crowd(shop: Shop) -> list[Figure]:
    """Thousands at once; then a kubelet that starts anew, for which nothing has changed."""
    loan = shop.loan
    before = resident(kubelets(loan)[0])
    began, since = time.perf_counter(), time.time()
    async with counted(loan.abroad, ConfigMap, shop.copies) as there:
        present = there.now
        await create_all(shop, range(ROUNDS + 1, ROUNDS + 1 + OBJECTS))
        await there.rises_to(present + OBJECTS)
    took = time.perf_counter() - began
    after = resident(kubelets(loan)[0])
    sent = len(written(loan, since))
    await asyncio.sleep(AFTERMATH)
    restarted = time.time()
    await end_kubelet(loan)
    await asyncio.sleep(SETTLING + AFTERMATH)
    again = written(loan, restarted)
    for what, count in Counter((each.verb, each.what) for each in again).most_common(5):
        print(f"    after a restart: {count} {' '.join(what)}")
    name = f"{OBJECTS} ConfigMaps"
    return [
        Figure(f"{name}, until all are there", took, "s"),
        Figure(f"{name}, memory of the kubelet for each", (after - before) / OBJECTS / 1e3, "kB"),
        within(f"{name}, writes to the provider for each", sent / OBJECTS, "", 1.0),
        within(f"{name}, writes after a restart", len(again), "", 0),
    ]


async def create_all(shop: Shop, numbers: range) -> None:
    left = iter(numbers)

    async def work() -> None:
        for number in left:
            await shop.create(ConfigMap.KIND, a_config_map(number))

    async with asyncio.TaskGroup() as workers:
        for _ in range(IN_FLIGHT):
            workers.create_task(work())


def written(loan: Loan, since: float) -> list[audit.Asked]:
    """By the kubelet, to its provider."""
    found = audit.asked(loan.milan, since)
    return [each for each in found if each.who == "remote kubelet" and each.is_write]
