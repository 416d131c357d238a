"""Hundreds of pods on one virtual node: they start, stay and go, and each is there once."""

from __future__ import annotations

from functools import partial

import pytest

from tests.e2e.crowds import Crowd
from tests.e2e.eventually import eventually
from tests.observer import Observer

PODS, SOAK_PODS = 500, 5000
PER_SECOND = 4  # pods that a crowded machine manages; an idle one ten times as many


@pytest.fixture
def pods(request: pytest.FixtureRequest) -> int:
    return SOAK_PODS if request.config.getoption("--soak", default=False) else PODS


@pytest.mark.timeout(3600)
async def test_many_pods_start_stay_and_go_while_their_kubelet_restarts(
    crowd: Crowd, pods: int
) -> None:
    within = 60 + pods / PER_SECOND
    async with crowd.observed() as seen:
        await crowd.start(pods)
        await eventually(partial(running, seen), lambda found: found > pods // 2, within=within)
        await crowd.kill_kubelet()
        await seen.reach(Running=pods, within=within)
        before = await at_rest(seen, within)
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


async def running(seen: Observer) -> int:
    return seen.phases()["Running"]
