"""Hundreds of pods at once, directly on the provider and through a virtual node, in turns.

Everything runs on the same machine, which is busy with it: what counts is the ratio of the two. A
machine that others use as well is slower one minute than the next, so what is offloaded is compared
with what went directly just before and just after it.
Pods come from a Deployment, as most do. Beside it the same of pods that a user makes one by one;
of these, what they cost, and how soon they are gone again.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from statistics import mean

from bench.figure import Figure, at_least, within
from bench.installed import cpu_of, process_of, resident
from bench.loan import SIMULATED, VIRTUAL, Loan, Spent, borrowed, extend, spent
from bench.pods import Place, deploy, end, start, withdraw
from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from liqo.webhooks.configuration import NAME as WEBHOOKS
from liqo.webhooks.configuration import STRIP

PODS = int(os.environ.get("PODS", "500"))  # fewer while developing
ROUNDS = int(os.environ.get("ROUNDS", "3"))
DELETED = min(200, PODS)  # of them, against the clock
NAMES = [f"web-{number:04}" for number in range(PODS)]
NOTICED = 2.0  # seconds until an API server has noticed that webhooks have changed
QUIET = 2.0  # seconds after what went before
SETTLING = 10.0  # seconds after a peering
IDLE = 30.0  # seconds

PLAIN, STRIPPED = 0.33, 0.35  # of what the provider does directly; why not more: docs/adr/0021
DELETION = 3.5  # seconds
START_CPU, LIFE_CPU, OUR_CPU, KUBELET_CPU = 60.0, 110.0, 15.0, 3.0  # ms for a pod
FRESH, EACH = 60.0, 0.010  # MB of a kubelet: alone, and for each pod
IDLE_CPU = 2.0  # ms per second


@dataclass(frozen=True)
class Places:
    vanilla: Place
    home: Place
    abroad: Place  # the remote pods of those at home


@dataclass(frozen=True)
class Bare:
    """Pods that a user made one by one."""

    rate: float  # per second
    deletion: float  # seconds
    starts: Spent
    lives: Spent
    memory: float  # MB of the kubelet with all of them


@dataclass(frozen=True)
class Deployed:
    """Pods of a Deployment, until all of them ran."""

    rate: float  # per second
    cpu: float  # seconds of both clusters, for each


@dataclass(frozen=True)
class Round:
    plain: Deployed
    stripped: Deployed  # of their managedFields, as an installation does it
    vanilla: tuple[Deployed, Deployed, Deployed]  # before, between and after

    def ratios(self, of: Callable[[Deployed], float]) -> tuple[float, float]:
        before, between, after = map(of, self.vanilla)
        return (
            of(self.plain) / mean((before, between)),
            of(self.stripped) / mean((between, after)),
        )


@dataclass(frozen=True)
class Alone:
    """The kubelet before it has any pods."""

    cpu: float  # ms per second
    memory: float  # MB


async def measure() -> list[Figure]:
    async with borrowed("bench-throughput") as loan:
        return await figures(loan)


async def figures(loan: Loan) -> list[Figure]:
    remote = await extend(loan, "shop")
    await loan.milan.kubectl("create", "namespace", "vanilla")
    places = Places(
        Place(loan.abroad, "vanilla", SIMULATED),
        Place(loan.home, "shop", VIRTUAL),
        Place(loan.abroad, remote, SIMULATED),
    )
    await asyncio.sleep(SETTLING)
    alone = await idle(loan)
    rounds, bare, direct = [], [], []
    for _ in range(ROUNDS):
        rounds.append(await one(loan, places))
        direct.append(await lived(loan, places.vanilla))
        bare.append(await lived(loan, places.home, places.abroad))
    return [*speeds(rounds), *costs(direct, bare), *kubelet(alone, bare)]


async def idle(loan: Loan) -> Alone:
    pid = process_of(loan.rome, "virtual kubelet")
    before, began = cpu_of(pid), time.monotonic()
    await asyncio.sleep(IDLE)
    passed = time.monotonic() - began
    return Alone((cpu_of(pid) - before) / passed * 1e3, resident(pid) / 1e6)


async def one(loan: Loan, places: Places) -> Round:
    before = await deployed(loan, places.vanilla)
    async with unstripped(loan.milan):
        plain = await deployed(loan, places.home, places.abroad)
    between = await deployed(loan, places.vanilla)
    stripped = await deployed(loan, places.home, places.abroad)
    found = Round(plain, stripped, (before, between, await deployed(loan, places.vanilla)))
    for what, runs in (("directly", found.vanilla), ("offloaded", (plain, stripped))):
        said = ", ".join(f"{each.rate:.1f}/s ({each.cpu * 1e3:.1f} ms)" for each in runs)
        print(f"    {what}: {said}", flush=True)
    return found


async def deployed(loan: Loan, place: Place, *elsewhere: Place) -> Deployed:
    await asyncio.sleep(QUIET)
    before = spent(loan)
    took = await deploy(place, PODS)
    cpu = spent(loan).since(before).total()
    await withdraw(place, *elsewhere)
    return Deployed(PODS / took, cpu / PODS)


async def lived(loan: Loan, place: Place, *elsewhere: Place) -> Bare:
    await asyncio.sleep(QUIET)
    before = spent(loan)
    took = await start(place, NAMES)
    running = spent(loan)
    memory = resident(process_of(loan.rome, "virtual kubelet")) / 1e6
    deletion = await end(place, NAMES[:DELETED], *elsewhere)
    await end(place, NAMES[DELETED:], *elsewhere)
    over = spent(loan)
    return Bare(PODS / took, deletion, running.since(before), over.since(before), memory)


@asynccontextmanager
async def unstripped(site: Site) -> AsyncIterator[None]:
    """Without the webhook that takes the managedFields off remote pods."""
    configuration = f"mutatingwebhookconfiguration/{WEBHOOKS}"
    found = json.loads(await site.kubectl("get", configuration, "-o", "json"))["webhooks"]

    async def replace(wanted: list[JSON]) -> None:
        patch = json.dumps({"webhooks": wanted})
        await site.kubectl("patch", configuration, "--type=merge", "-p", patch)
        await asyncio.sleep(NOTICED)

    await replace([each for each in found if each["name"] != STRIP.name])
    try:
        yield
    finally:
        await replace(found)


def speeds(rounds: list[Round]) -> Iterator[Figure]:
    def median(value: Callable[[Round], float]) -> float:
        return statistics.median(map(value, rounds))

    def rate(run: Deployed) -> float:
        return run.rate

    def cpu(run: Deployed) -> float:
        return run.cpu

    name = f"{PODS} pods of a Deployment to Running"
    directly = median(lambda each: mean(map(rate, each.vanilla)))
    yield Figure(f"{name}, directly on the provider", directly, "1/s")
    yield Figure(f"{name}, offloaded, not stripped", median(lambda each: each.plain.rate), "1/s")
    yield Figure(f"{name}, offloaded", median(lambda each: each.stripped.rate), "1/s")
    plain, stripped = (
        ("offloaded / directly, not stripped", PLAIN),
        ("offloaded / directly", STRIPPED),
    )
    for which, (told, least) in enumerate((plain, stripped)):
        rates = [each.ratios(rate)[which] for each in rounds]
        yield at_least(told, statistics.median(rates), "times", least)
        costs = [each.ratios(cpu)[which] for each in rounds]
        yield Figure(f"{told}: its CPU", statistics.median(costs), "times")


def costs(direct: list[Bare], offloaded: list[Bare]) -> Iterator[Figure]:
    for step, last in (
        ("start, directly", direct[-1].starts),
        ("start", offloaded[-1].starts),
        ("life", offloaded[-1].lives),
    ):
        for line in last.lines(PODS):
            print(f"    {step}: {line}")

    def each(found: list[Bare], what: Callable[[Bare], float]) -> float:
        return statistics.median(map(what, found))

    def cpu(found: list[Bare], what: Callable[[Bare], float]) -> float:
        """Milliseconds for one pod."""
        return each(found, what) / PODS * 1e3

    for where, found in (("directly", direct), ("offloaded", offloaded)):
        rate = each(found, lambda bare: bare.rate)
        yield Figure(f"{PODS} bare pods to Running, {where}", rate, "1/s")
    start = cpu(direct, lambda bare: bare.starts.total())
    yield Figure("CPU of both clusters for a pod's start, directly", start, "ms")
    start = cpu(offloaded, lambda bare: bare.starts.total())
    yield within("CPU of both clusters for a pod's start, offloaded", start, "ms", START_CPU)
    life = cpu(direct, lambda bare: bare.lives.total())
    yield Figure("CPU of both clusters for a pod's life, directly", life, "ms")
    life = cpu(offloaded, lambda bare: bare.lives.total())
    yield within("CPU of both clusters for a pod's life, offloaded", life, "ms", LIFE_CPU)
    ours = cpu(offloaded, lambda bare: bare.lives.of_ours())
    yield within("CPU of our programs for a pod's life", ours, "ms", OUR_CPU)
    name = f"{DELETED} pods deleted"
    yield Figure(f"{name}, directly", each(direct, lambda bare: bare.deletion), "s")
    gone = each(offloaded, lambda bare: bare.deletion)
    yield within(f"{name}, gone on both sides", gone, "s", DELETION)


def kubelet(alone: Alone, found: list[Bare]) -> Iterator[Figure]:
    starts = statistics.median(each.starts.of_program("virtual kubelet") for each in found)
    memory = statistics.median(each.memory for each in found)
    yield within("kubelet, CPU for a pod's start", starts / PODS * 1e3, "ms", KUBELET_CPU)
    yield within("kubelet, memory without pods", alone.memory, "MB", FRESH)
    yield within(f"kubelet, memory with {PODS} pods", memory, "MB", FRESH + EACH * PODS)
    yield within("kubelet, idle", alone.cpu, "ms/s", IDLE_CPU)
