"""What a cluster with five peers costs while nothing happens: CPU, memory, watches, requests."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass

from bench import audit
from bench.figure import Figure, within
from bench.installed import cpu_of, installed, liqoctl, process_of, resident
from liqo.playground.cluster import Site

PEERS = ("milan", "turin", "genoa", "naples", "venice")
SETTLING = 20.0  # seconds until what the last peering began has ended
IDLE = 60.0  # seconds: several times the longest of our periods

CPU = 5.0  # ms per second of the controllers; the others have nothing to do with peers
MEMORY = {"controllers": 90.0, "webhook": 60.0, "metric agent": 60.0}  # MB
OTHERS = ("webhook", "metric agent")
# Of the whole cluster at home, however many peers there are; with one peer abroad. Printed kind by
# kind: shares, quotas and pods that were left behind brought the latest three.
WATCHES = {"home": 61, "abroad": 3}


@dataclass(frozen=True)
class Idle:
    """One program over the time."""

    cpu: float  # ms per second
    memory: float  # MB


async def measure() -> list[Figure]:
    async with installed("bench-idle", ["rome", *PEERS]) as (rome, *others):
        for other in others:
            await liqoctl("peer", rome, other, "--networking-disabled")
        await asyncio.sleep(SETTLING)
        began = time.time()
        idle = await watched(rome)
        return [*costs(idle), *requests(rome, others, began)]


async def watched(site: Site) -> dict[str, Idle]:
    pids = {program: process_of(site, program) for program in MEMORY}
    before = {program: cpu_of(pid) for program, pid in pids.items()}
    start = time.monotonic()
    await asyncio.sleep(IDLE)
    passed = time.monotonic() - start
    return {
        program: Idle((cpu_of(pid) - before[program]) / passed * 1e3, resident(pid) / 1e6)
        for program, pid in pids.items()
    }


def costs(idle: dict[str, Idle]) -> list[Figure]:
    whole = sum(each.cpu for each in idle.values())
    busiest = idle["controllers"].cpu
    return [
        within(f"idle with {len(PEERS)} peers, CPU of the controllers", busiest, "ms/s", CPU),
        *(Figure(f"idle, CPU of the {name}", idle[name].cpu, "ms/s") for name in OTHERS),
        Figure("idle, CPU of all programs", whole, "ms/s"),
        *(
            within(f"idle, memory of the {name}", each.memory, "MB", MEMORY[name])
            for name, each in idle.items()
        ),
    ]


def requests(rome: Site, others: list[Site], began: float) -> list[Figure]:
    at_home = [each for each in audit.asked(rome) if each.who in MEMORY]
    abroad = [
        each for other in others for each in audit.asked(other) if each.who == "remote controllers"
    ]
    figures = []
    for where, asked, places in (("home", at_home, 1), ("abroad", abroad, len(others))):
        watches = sum(each.is_open for each in asked) / places
        rate = sum(each.at >= began for each in asked) / places / IDLE
        figures.append(within(f"idle, watches {where}", watches, "open", WATCHES[where]))
        figures.append(Figure(f"idle, requests {where}", rate, "1/s"))
        open_ = Counter(f"{each.what} by the {each.who}" for each in asked if each.is_open)
        for what, count in open_.most_common():
            print(f"    {where}: {count / places:4.1f} watches of {what}")
        for (verb, what), count in Counter(
            (each.verb, each.what) for each in asked if each.at >= began
        ).most_common():
            print(f"    {where}: {count:4} {verb} {what}")
    return figures
