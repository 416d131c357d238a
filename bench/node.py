"""From `liqoctl peer` to a Node that is Ready: the first time, and every time again."""

from __future__ import annotations

import asyncio
import statistics
import time

from bench.figure import Figure, within
from bench.installed import liqoctl
from bench.loan import SIZE, lending, ready, user
from liqo.playground.cluster import Site

AGAIN = 5
BUDGET = 4.0  # seconds
QUIET = 2.0  # seconds after what a user did last


async def measure() -> list[Figure]:
    async with lending("bench-node") as (rome, milan):
        first, *again = [await one(rome, milan) for _ in range(1 + AGAIN)]
    print(f"    first {first:.2f} s, again", *(f"{each:.2f}" for each in again))
    return [
        within("liqoctl peer to a Node that is Ready, first", first, "s", BUDGET),
        within("the same, again", statistics.median(again), "s", BUDGET),
        within("the same, the slowest", max(again), "s", BUDGET),
    ]


async def one(rome: Site, milan: Site) -> float:
    async with user(rome) as home:
        await asyncio.sleep(QUIET)
        began = time.perf_counter()
        await liqoctl("peer", rome, milan, "--networking-disabled", *SIZE)
        await ready(home)
        took = time.perf_counter() - began
    await liqoctl("unpeer", rome, milan, "--delete-namespaces")
    return took
