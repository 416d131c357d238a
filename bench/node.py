"""From `liqoctl peer` to a Node that is Ready: the first time, and every time again.

And from an administrator's change of the percentage of shares to a Node that shows it.
"""

from __future__ import annotations

import asyncio
import time
from statistics import median

from bench.figure import Figure, within
from bench.installed import liqoctl
from bench.loan import PATIENCE, SIZE, lending, ready, user
from liqo.api.kubernetes import ConfigMap, Node
from liqo.api.meta import Key
from liqo.kube.cluster import Cluster
from liqo.kube.waiting import until
from liqo.playground.cluster import Site
from liqo.rules import names
from liqo.rules.quantity import parse

AGAIN = 5
BUDGET = 4.0  # seconds
SEEN = 2.0  # seconds until what an administrator decided is on the Node of a consumer
PERCENTAGES = (50, 90) * 5
SETTINGS = Key("liqo", names.SHARING)
QUIET = 2.0  # seconds after what a user did last


async def measure() -> list[Figure]:
    async with lending("bench-node") as (rome, milan):
        first, *again = [await one(rome, milan) for _ in range(1 + AGAIN)]
        changes = await followed(rome, milan)
    print(f"    first {first:.2f} s, again", *(f"{each:.2f}" for each in again))
    return [
        within("liqoctl peer to a Node that is Ready, first", first, "s", BUDGET),
        within("the same, again", median(again), "s", BUDGET),
        within("the same, the slowest", max(again), "s", BUDGET),
        within("another percentage, until the Node shows it", median(changes), "s", SEEN),
        within("the same, the slowest of the changes", max(changes), "s", SEEN),
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


async def followed(rome: Site, milan: Site) -> list[float]:
    share = ("--networking-disabled", "--resource-slice-class=share")
    await liqoctl("peer", rome, milan, *share)
    async with user(rome) as home, user(milan) as abroad:
        await ready(home)
        usual = cpu(await home.get(Node, Key("", "milan")))
        changes = [await changed(home, abroad, each, usual) for each in PERCENTAGES]
    await liqoctl("unpeer", rome, milan, "--delete-namespaces")
    return changes


async def changed(home: Cluster, abroad: Cluster, percentage: int, usual: int) -> float:
    """There and back again: a Node that has much less than before shows the smaller one."""

    def shows(node: Node) -> bool:
        return (cpu(node) < usual * 3 // 4) == (percentage == min(PERCENTAGES))

    await asyncio.sleep(QUIET)
    wanted = {"data": {"percentage": str(percentage)}}
    began = time.perf_counter()
    await abroad.patch(ConfigMap.KIND, SETTINGS, wanted, how="merge")
    async with asyncio.timeout(PATIENCE):
        await until(home, Node, Key("", "milan"), shows)
    return time.perf_counter() - began


def cpu(node: Node) -> int:
    return parse(node.status["allocatable"]["cpu"]).nano
