"""Hundreds of pods on one virtual node: they start, stay and go, and each is there once."""

from __future__ import annotations

import asyncio
import sys
from functools import partial

import pytest

from liqo.playground import processes
from tests.e2e.crowds import Crowd
from tests.e2e.eventually import eventually
from tests.observer import Observer

PODS, SOAK_PODS = 500, 5000
PER_SECOND = 4  # pods that a crowded machine manages; an idle one ten times as many
FRESH, EACH = 60_000_000, 16_000  # bytes of a kubelet: alone, and for each pod (ADR 0029)


@pytest.fixture
def pods(request: pytest.FixtureRequest) -> int:
    return SOAK_PODS if request.config.getoption("--soak", default=False) else PODS


@pytest.mark.timeout(3600)
async def test_many_pods_start_stay_and_go_while_their_kubelet_restarts(
    crowd: Crowd, pods: int, capsys: pytest.CaptureFixture[str]
) -> None:
    within = 60 + pods / PER_SECOND
    async with crowd.observed() as seen:
        kill = await crowd.doom_kubelet()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(crowd.start(pods))
            await eventually(partial(running, seen), lambda found: found > pods // 2, within=within)
            kill()
            pending = seen.phases()["Pending"]
        assert pending, "it was killed too late to show anything"
        await seen.reach(Running=pods, within=within)
        before = await at_rest(seen, within)
        if pods == SOAK_PODS:  # a few hundred say little of what each costs
            taken = await memory(crowd)
            with capsys.disabled():
                sys.stderr.write(f"\na kubelet with {pods} pods: {taken / 1e6:.1f} MB\n")
            assert taken <= FRESH + EACH * pods
        await crowd.replace_kubelet()
        await crowd.start(1, "late")
        await seen.reach(Running=pods + 1, within=within)
        written = dict(before.items() - seen.versions().items())
        assert not written, f"a kubelet that starts writes nothing: {await crowd.writers(written)}"
        await crowd.remove(seen)
        await seen.reach(within=within)
        await seen.settled(within)
        seen.check()


async def at_rest(seen: Observer, within: float) -> dict[str, str]:
    """The versions of all that is there, when the kubelet so far has no more to say about it."""
    looks: list[dict[str, str]] = [{}]

    async def is_quiet() -> bool:
        await seen.settled(within)
        looks.append(seen.versions())
        return looks[-1] == looks[-2]

    await eventually(is_quiet, within=within)
    return looks[-1]


async def memory(crowd: Crowd) -> int:
    """Of its kubelet: bytes that are resident."""
    look = await crowd.kubelets_processes()
    [process] = filter(None, map(processes.read, await look()))
    return process.memory


async def running(seen: Observer) -> int:
    return seen.phases()["Running"]
