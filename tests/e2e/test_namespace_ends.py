"""However offloaded namespaces and their peering end, nothing stays, and nothing is held."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from random import Random
from uuid import uuid4

import pytest

from liqo.playground.cluster import Site
from tests.e2e.eventually import ENDING, eventually
from tests.e2e.liqoctl import liqoctl
from tests.e2e.loans import Loan, done, end_all
from tests.e2e.offloaded import a_pod, condition, extend, new_namespace, withdraw
from tests.observer import Observer

SEEDS, SOAK_SEEDS = 3, 20
CONTROLLERS = ("--namespace=liqo", "-l", "app.kubernetes.io/name=controller-manager")
Step = Callable[[], Awaitable[object]]


@pytest.fixture
async def loan(installed: dict[str, Site]) -> AsyncIterator[Loan]:
    made = Loan(installed["rome"], installed["milan"])
    try:
        yield made
    finally:
        await made.heal()
        await end_all((made.consumer, made.provider))


@pytest.mark.timeout(3600)  # three peerings, and in a soak twenty
async def test_in_whichever_order_it_ends_nothing_is_held(
    loan: Loan, request: pytest.FixtureRequest
) -> None:
    """Each step begins before the one before it has ended; the link is cut, and heals at last."""
    rome = loan.consumer
    before = await loan.settled()
    for seed in range(SOAK_SEEDS if request.config.getoption("--soak", default=False) else SEEDS):
        await loan.peer()
        await eventually(partial(condition, rome, "node/milan", "Ready"), is_="True")
        towns = [f"end-{seed}-{uuid4().hex[:6]}" for _ in range(2)]
        for town in towns:
            await begin(rome, town)
        async with Observer(rome, loan.provider, {town: f"{town}-rome" for town in towns}) as seen:
            seen.take(*seen.history.here)
            await end(loan, towns, Random(seed))
            await rome.kubectl("delete", "namespace", towns[0], "--wait=false")
            await seen.settled(ENDING)
            seen.check()
        await loan.is_as(before)


async def begin(rome: Site, town: str) -> None:
    await new_namespace(rome, town)
    await extend(rome, town)
    await rome.kubectl("create", "-f", "-", text=a_pod("web", town))
    await eventually(partial(condition, rome, "pod/web", "Ready", "-n", town), is_="True")


async def end(loan: Loan, towns: list[str], chance: Random) -> None:
    rome = loan.consumer
    first, second = towns
    steps: list[Step] = [
        partial(withdraw, rome, first, "--wait=false"),
        partial(rome.kubectl, "delete", "namespace", second, "--wait=false"),
        partial(restart, loan),
        loan.cut,
    ]
    chance.shuffle(steps)
    async with asyncio.TaskGroup() as tasks:
        unpeering = tasks.create_task(liqoctl(*loan.ending, "--delete-namespaces"))
        for step in steps:
            await step()
        await loan.heal()
    done(unpeering.result())


async def restart(loan: Loan) -> None:
    for site in (loan.consumer, loan.provider):
        await site.kubectl("delete", "pod", *CONTROLLERS, "--force", "--wait=false")
