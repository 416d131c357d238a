"""A program that leads or waits to, and writes all the time while it leads.

Started by test_leader_election.py as a process of its own: it will be stopped in mid-sentence.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import uvloop

from liqo.api.kubernetes import ConfigMap
from liqo.api.meta import Key
from liqo.kube.access import Access, Material, User
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.paths import Scope
from liqo.runtime.clock import wall_clock
from liqo.runtime.controller import Controller, itself
from liqo.runtime.leader import Candidacy, Leader
from liqo.runtime.pace import IMPATIENT
from liqo.runtime.plan import Patch, Plan, do
from liqo.runtime.program import Program, run

NAMESPACE = "default"
LEASE = Key(NAMESPACE, "leader")
DURATION = 5.0
LABEL = "tests.liqo.io/ticks"
TICK = 0.1  # seconds between two writes to the same object


@dataclass(frozen=True)
class State:
    clock: ConfigMap
    now: datetime


def controller(here: Caches) -> Controller[State]:
    clocks = here.of(ConfigMap, Scope(NAMESPACE, labels=LABEL))

    def observe(key: Key) -> State | None:
        found = clocks.get(key)
        return State(found, wall_clock()) if found is not None else None

    return Controller("tests/ticks", {clocks: itself}, observe, plan)


def plan(state: State) -> Plan:
    change = {"data": {"now": state.now.isoformat()}}
    return do(Patch(state.clock, change), wake_after=TICK)


async def main(server: str, folder: Path, user: str) -> None:
    certificate, key, authority = (
        Material(file=str(folder / name)) for name in (f"{user}.crt", f"{user}.key", "ca.crt")
    )
    me = User(certificate=certificate, key=key)
    access = Access(server=server, authority=authority, user=me, source=user)
    async with Cluster(access, name=user, limits=IMPATIENT) as cluster:
        caches = Caches(cluster)
        leader = Leader(cluster, Candidacy(LEASE, user, DURATION))
        await run(Program({"local": caches}, [controller(caches)], leader))


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
