"""Five controllers over five thousand objects, while everything that can go wrong goes wrong."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest

from liqo.kube.errors import ServerFault, Unreachable
from tests.e2e import faults
from tests.e2e.eventually import eventually
from tests.e2e.gardener import Gardener, garden

SEEDS = 1000  # with four fruits each: five thousand objects
ROUNDS = 1
SOAK_ROUNDS = 10
CUTS = 100
SYNC = 300.0  # seconds to make five thousand objects; 20 on an idle machine
CALM = 300.0  # seconds in which all is as planned once nothing goes wrong any more


@pytest.mark.timeout(3600)
async def test_the_engine_survives_whatever_happens_between_it_and_its_api_server(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    rounds = SOAK_ROUNDS if request.config.getoption("--soak", default=False) else ROUNDS
    async with garden(tmp_path, seed=1) as gardener:
        await gardener.plant(SEEDS)
        await eventually(gardener.all_is_as_planned, within=SYNC)
        assert gardener.needless_writes() == 0, "nothing had gone wrong yet"
        for _ in range(rounds):
            await go_through_all_faults(gardener)
        await eventually(gardener.all_is_as_planned, within=CALM)
        await eventually(gardener.caches_equal_fresh_lists, within=CALM)
        await cut_many_times(gardener)
        assert gardener.needless_writes() <= gardener.unanswered
        assert gardener.old_certificate_was_given_up()
        assert gardener.was_throttled()


async def go_through_all_faults(gardener: Gardener) -> None:
    for fault in faults.ALL:
        before = gardener.lists()
        async with asyncio.TaskGroup() as tasks:
            gardening = tasks.create_task(keep_gardening(gardener))
            await fault(gardener)
            gardening.cancel()
        await eventually(gardener.all_is_as_planned, within=CALM)
        relists = {name: count - before[name] for name, count in gardener.lists().items()}
        assert max(relists.values()) <= 1, f"{fault.__name__}: {relists}"


async def keep_gardening(gardener: Gardener) -> None:
    """Somebody else changes things meanwhile, by another way that is not cut."""
    while True:
        try:
            await gardener.change_something()
        except (Unreachable, ServerFault):
            await asyncio.sleep(0.2)  # the API server is down for everybody


async def cut_many_times(gardener: Gardener) -> None:
    before = gardener.lists()
    for _ in range(CUTS):
        key = await gardener.change_one_seed()
        gardener.proxy.cut()
        await eventually(partial(gardener.is_done, key), within=CALM)
    assert gardener.lists() == before, "a cut connection must not cost a list"
    await eventually(gardener.caches_equal_fresh_lists, within=CALM)
