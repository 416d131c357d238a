"""What it costs that quotas are enforced: pods of a Deployment with and without it, in turns.

A machine becomes slower or faster meanwhile, so that as often as one comes first, the other does.
With two webhooks, as an installation has them: every second question goes from one to the other.
"""

from __future__ import annotations

import asyncio
import json
import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from bench.figure import Figure, at_least
from bench.loan import SIMULATED, VIRTUAL, Loan, borrowed, extend
from bench.pods import Place
from bench.throughput import PODS, ROUNDS, deployed
from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from liqo.rules import names

WEBHOOK = (f"deployment/{names.WEBHOOK}", "--namespace=liqo")
FLAG = "--enable-resource-enforcement"
TURNS = ROUNDS + ROUNDS % 2  # an even number: each order has as many
SETTLING = 10.0  # seconds after new webhooks
RATIO = 0.9


@dataclass(frozen=True)
class Round:
    """Pods per second."""

    enforced: float
    unenforced: float


async def measure() -> list[Figure]:
    async with borrowed("bench-enforcement") as loan:
        remote = await extend(loan, "shop")
        home, abroad = Place(loan.home, "shop", VIRTUAL), Place(loan.abroad, remote, SIMULATED)
        rounds = [await one(loan, home, abroad, order(number)) for number in range(TURNS)]
    return list(figures(rounds))


def order(number: int) -> tuple[bool, bool]:
    """Whether quotas are enforced, first and then, in the round of this number."""
    return (True, False) if number % 2 == 0 else (False, True)


async def one(loan: Loan, home: Place, abroad: Place, enforcing: tuple[bool, bool]) -> Round:
    rates = {}
    for enforced in enforcing:
        await answered_by_two(loan.milan, enforced)
        rates[enforced] = (await deployed(loan, home, abroad)).rate
    print(f"    {rates[True]:.1f}/s with quotas, {rates[False]:.1f}/s without", flush=True)
    return Round(rates[True], rates[False])


async def answered_by_two(milan: Site, enforced: bool) -> None:
    """Webhooks that enforce quotas, or do not; on the machine that is real."""
    found = json.loads(await milan.kubectl("get", *WEBHOOK, "-o", "json"))
    await milan.kubectl("uncordon", "milan")
    change = json.dumps({"spec": {"replicas": 2, "template": template(found, enforced)}})
    await milan.kubectl("patch", *WEBHOOK, "-p", change)
    await milan.kubectl("rollout", "status", *WEBHOOK, "--timeout=120s")
    await milan.kubectl("cordon", "milan")
    await asyncio.sleep(SETTLING)


def template(found: JSON, enforced: bool) -> JSON:
    [container] = found["spec"]["template"]["spec"]["containers"]
    told = [each for each in container["args"] if not each.startswith(FLAG)]
    chosen = {"name": container["name"], "args": [*told, f"{FLAG}={str(enforced).lower()}"]}
    here = {"kubernetes.io/hostname": "milan"}
    return {"spec": {"containers": [chosen], "nodeSelector": here}}


def figures(rounds: list[Round]) -> Iterator[Figure]:
    name = f"{PODS} pods of a Deployment to Running, offloaded"
    enforced = statistics.median(each.enforced for each in rounds)
    yield Figure(f"{name}, with quotas", enforced, "1/s")
    unenforced = statistics.median(each.unenforced for each in rounds)
    yield Figure(f"{name}, without", unenforced, "1/s")
    ratio = statistics.median(each.enforced / each.unenforced for each in rounds)
    yield at_least("with quotas / without", ratio, "times", RATIO)
