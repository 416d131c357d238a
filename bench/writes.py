"""What a pod on a virtual node costs in requests, by the audit logs of both clusters.

Counted apart from throughput: an audit log costs the API servers time. Writes are those of our
programs on both of them together; what Kubernetes itself writes is not ours.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from bench import audit
from bench.audit import OUR_PROGRAMS, Asked
from bench.figure import Figure, within
from bench.loan import SIMULATED, VIRTUAL, Loan, borrowed, extend
from bench.pods import Place, end, start
from liqo.api.kubernetes import Pod
from liqo.api.offloading import ShadowPod

PODS = 200
AFTERMATH = 3.0  # seconds in which everything is written that still follows
SETTLING = 10.0  # seconds after a peering

START, LIFE = 5.0, 8.0  # writes for a pod
TOKEN = {"start": 2.0, "life": 3.0}  # more of them with a token
HOME, HOME_EACH, ABROAD_EACH = 12, 2, 3  # watches; of mapped namespaces each
# What is watched abroad by its metadata only.
METADATA = frozenset({"configmaps", "ingresses", "secrets", "services", "shadowendpointslices"})
WRONG = (409, 422)  # and whatever a server did not manage
NOBODY_THERE = "nodes/proxy"  # simulated machines have no figures to tell
NAMESPACES = ("shop", "bank")


@dataclass(frozen=True)
class Life:
    """Of some pods: what was asked until they ran, and until they were gone."""

    start: list[Asked]
    whole: list[Asked]


async def measure() -> list[Figure]:
    async with borrowed("bench-writes", audit=True) as loan:
        there = {name: await extend(loan, name) for name in NAMESPACES}
        await asyncio.sleep(SETTLING)
        shop, remote = (
            Place(loan.home, "shop", VIRTUAL),
            Place(loan.abroad, there["shop"], SIMULATED),
        )
        bare = await live(loan, shop, remote)
        bank, remote = (
            Place(loan.home, "bank", VIRTUAL, token=True),
            Place(loan.abroad, there["bank"], SIMULATED),
        )
        with_token = await live(loan, bank, remote)
        return [
            *costs(bare, "", 0.0, 0.0),
            *costs(with_token, ", with a token", TOKEN["start"], TOKEN["life"]),
            *mistakes([*bare.whole, *with_token.whole]),
            *watches(loan),
        ]


async def live(loan: Loan, home: Place, abroad: Place) -> Life:
    pods = [f"web-{number:03}" for number in range(PODS)]
    began = time.time()
    await start(home, pods)
    await asyncio.sleep(AFTERMATH)
    running = time.time()
    await end(home, pods, abroad)
    await asyncio.sleep(AFTERMATH)
    asked = [
        each
        for site in loan.sites
        for each in audit.asked(site, since=began)
        if not each.is_heartbeat
    ]
    return Life([each for each in asked if each.at < running], asked)


def costs(life: Life, what: str, start: float, whole: float) -> Iterator[Figure]:
    for step, asked, most in (
        ("start", life.start, START + start),
        ("life", life.whole, LIFE + whole),
    ):
        ours = [each for each in asked if each.who in OUR_PROGRAMS and each.is_write]
        yield within(f"writes of ours for a pod's {step}{what}", len(ours) / PODS, "", most)
        for (who, verb, what_), count in Counter(
            (each.who, each.verb, each.what) for each in ours
        ).most_common():
            print(f"    {step}{what}: {count / PODS:6.2f} {verb} {what_} by {who}")


def mistakes(asked: list[Asked]) -> Iterator[Figure]:
    kinds = (Pod.KIND.plural, ShadowPod.KIND.plural)
    made = Counter(
        each.uri.partition("?")[0] + f" {each.name}"
        for each in asked
        if each.verb == "create" and each.what in kinds and each.code == 201
    )
    twice = sum(count - 1 for count in made.values())
    yield within("pods and ShadowPods created twice", twice, "", 0)
    ours = [each for each in asked if each.who in OUR_PROGRAMS and each.what != NOBODY_THERE]
    wrong = [each for each in ours if each.code in WRONG or each.code >= 500]
    for each in wrong[:10]:
        print(f"    {each.code} {each.verb} {each.uri} by {each.who}")
    yield within("conflicts, invalid writes and lost requests of ours", len(wrong), "", 0)


def watches(loan: Loan) -> Iterator[Figure]:
    rome, milan = (
        [each for each in audit.asked(site) if each.is_open and each.who == who]
        for site, who in ((loan.rome, "kubelet"), (loan.milan, "remote kubelet"))
    )
    count = len(NAMESPACES)
    named = f"watches of a kubelet with {count} namespaces"
    yield within(f"{named}, home", len(rome), "open", HOME + HOME_EACH * count)
    whole = [each for each in milan if each.what not in METADATA]
    yield within(f"{named}, abroad", len(whole), "open", ABROAD_EACH * count)
    yield Figure(f"{named}, abroad, of metadata", len(milan) - len(whole), "open")
    for where, open_ in (("home", rome), ("abroad", milan)):
        for what, number in Counter(each.what for each in open_).most_common():
            print(f"    watches {where}: {number:3} {what}")
