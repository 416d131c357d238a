"""Of two programs one works; a leader that was stopped and wakes up again does no harm."""

from __future__ import annotations

import asyncio
import math
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pytest

from liqo.api.kubernetes import ConfigMap, Lease
from liqo.api.meta import JSON
from liqo.kube.cluster import Cluster
from tests.e2e.control_plane import ControlPlane, Service
from tests.e2e.eventually import eventually
from tests.e2e.leading import DURATION, LABEL, LEASE, NAMESPACE

CLOCKS = 10  # objects that a leader writes to, ten times a second each
STOPS = 3
SOAK_STOPS = 20
PATIENCE = 60.0  # seconds for anything to happen, on a busy machine
AT_ONCE, TRIES = 5.0, 3  # seconds in which a leader leaves, and how often it may take longer
GRACE = 1.0  # seconds that a write may be on its way when another takes over


@dataclass
class Arena:
    """Starts candidates, each with a name that nobody had before."""

    plane: ControlPlane
    admin: Cluster
    candidates: dict[str, Service] = field(default_factory=dict)

    async def start(self) -> str:
        name = f"candidate-{len(self.candidates) + 1}"
        access = self.plane.access(name, "system:masters")
        folder = self.plane.folder
        arguments = ["-m", "tests.e2e.leading", access.server, str(folder), name]
        service = Service([sys.executable, *arguments], folder / f"{name}.log")
        self.candidates[name] = service
        await service.start()
        return name

    async def leader(self, *, after: str = "") -> str:
        """Who leads, once somebody else than `after` does."""

        async def holder() -> str:
            lease = await self.admin.get(Lease, LEASE)
            return lease.spec.get("holderIdentity") or ""

        return await eventually(holder, lambda name: name not in ("", after), within=PATIENCE)

    async def works(self, name: str, seconds: float = 0.0) -> None:
        """Return when this candidate has been writing for so long."""

        async def wrote() -> list[datetime]:
            return [received(entry) for entry in self.plane.audit() if is_write(entry, name)]

        def is_enough(times: list[datetime]) -> bool:
            return bool(times) and (max(times) - min(times)).total_seconds() >= seconds

        await eventually(wrote, is_enough, within=PATIENCE)

    async def stands(self, name: str) -> None:
        """Return when this candidate has nothing more to do than to wait for the lease."""

        async def said() -> str:
            return self.candidates[name].log.read_text()

        await eventually(said, lambda log: "synced" in log, within=PATIENCE)

    def signal(self, name: str, number: signal.Signals) -> bool:
        """False if it has ended: a machine that is busy enough makes a leader lose its lease."""
        return self.candidates[name].signal(number)

    async def ended(self, name: str) -> int:
        process = self.candidates[name].process
        assert process is not None
        async with asyncio.timeout(PATIENCE):
            return await process.wait()


@pytest.fixture
async def arena(tmp_path: Path) -> AsyncIterator[Arena]:
    async with (
        ControlPlane(tmp_path) as plane,
        Cluster(plane.access("admin", "system:masters"), name="admin") as admin,
    ):
        arena = Arena(plane, admin)
        for number in range(CLOCKS):
            await admin.create(a_clock(number), kind=ConfigMap.KIND, namespace=NAMESPACE)
        try:
            yield arena
        finally:
            for service in arena.candidates.values():
                await service.kill()


def a_clock(number: int) -> JSON:
    metadata = {"name": f"clock-{number}", "namespace": NAMESPACE, "labels": {LABEL: "true"}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


async def test_a_leader_that_was_stopped_and_woken_writes_nothing_after_the_take_over(
    arena: Arena, request: pytest.FixtureRequest
) -> None:
    stops = SOAK_STOPS if request.config.getoption("--soak", default=False) else STOPS
    await arena.start()
    await arena.start()
    while stops:
        old = await arena.leader()
        await arena.works(old)
        arena.signal(old, signal.SIGSTOP)
        new = await arena.leader(after=old)
        await arena.works(new, seconds=2 * GRACE)
        if arena.signal(old, signal.SIGCONT):
            assert await arena.ended(old) == signal.SIGALRM, "the kernel ends who overslept"
            stops -= 1
        await arena.start()
    late = late_writes(arena.plane.audit())
    assert not late, late


async def test_a_leader_that_is_told_to_end_leaves_at_once_and_lets_go_of_its_lease(
    arena: Arena,
) -> None:
    """A machine that is busy elsewhere has some tries."""
    await arena.start()
    for _ in range(TRIES):
        left, handed_over = await dismissal(arena)
        if left < AT_ONCE and handed_over < AT_ONCE + DURATION / 2:
            break
    assert left < AT_ONCE
    assert handed_over < AT_ONCE + DURATION / 2
    assert not late_writes(arena.plane.audit())


async def dismissal(arena: Arena) -> tuple[float, float]:
    """Seconds until a leader that was told to end has ended, and until there is another."""
    clock = asyncio.get_running_loop().time
    old = await arena.leader()
    await arena.works(old)
    await arena.stands(await arena.start())
    began = clock()
    if not arena.signal(old, signal.SIGTERM):
        return math.inf, math.inf  # it had lost its lease, and shows nothing
    assert await arena.ended(old) == 0
    left = clock() - began
    await arena.leader(after=old)
    return left, clock() - began


def late_writes(audit: list[JSON]) -> list[str]:
    """Writes that arrived more than a moment after somebody else had become leader."""
    reigns = take_overs(audit)
    late = []
    for name, began in reigns.items():
        others = {leader: since for leader, since in reigns.items() if since > began}
        for entry in audit:
            for leader, since in others.items():
                delay = (received(entry) - since).total_seconds()
                if is_write(entry, name) and delay > GRACE:
                    late.append(f"{name} wrote {delay:.1f} s after {leader} took over")
    return late


def take_overs(audit: list[JSON]) -> dict[str, datetime]:
    """When each leader got its lease, which none gets twice: its first write to it."""
    firsts: dict[str, datetime] = {}
    for entry in audit:
        if entry["objectRef"]["resource"] == "leases" and succeeded(entry):
            firsts.setdefault(user(entry), received(entry))
    return firsts


def is_write(entry: JSON, name: str) -> bool:
    return bool(entry["objectRef"]["resource"] == "configmaps" and user(entry) == name)


def succeeded(entry: JSON) -> bool:
    return bool(200 <= entry["responseStatus"]["code"] < 300)


def user(entry: JSON) -> str:
    return str(entry["user"]["username"])


def received(entry: JSON) -> datetime:
    return datetime.fromisoformat(entry["requestReceivedTimestamp"])
