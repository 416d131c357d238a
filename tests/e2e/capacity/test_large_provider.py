"""A large provider: a thousand nodes and twenty thousand pods, with --soak; fewer without.

What a single pod costs it is measured elsewhere: bench/capacity.py.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from uuid import uuid4

import pytest

from liqo.playground.cluster import Site
from tests.e2e.capacity.estate import Estate
from tests.e2e.capacity.market import CPU, Market
from tests.e2e.crowds import admin
from tests.e2e.eventually import eventually
from tests.e2e.offloaded import read

NODES, SOAK_NODES = 20, 1000
PODS_OF_EACH = 20
TENTH = 10


@pytest.fixture
def nodes(request: pytest.FixtureRequest) -> int:
    return SOAK_NODES if request.config.getoption("--soak", default=False) else NODES


@pytest.fixture
async def estate(market: Market) -> AsyncIterator[Estate]:
    """All that Milan has to lend: the node of the market is closed meanwhile."""
    milan, namespace = market.milan, f"estate-{uuid4().hex[:6]}"
    await milan.kubectl("cordon", "milan-kwok-0")
    await milan.kubectl("create", "namespace", namespace)
    try:
        account = ("get", "serviceaccount", "default", "-n", namespace)
        await eventually(partial(milan.kubectl, *account), bool)
        async with admin(milan) as cluster:
            made = Estate(market, cluster, namespace)
            try:
                yield made
            finally:
                await made.raze(list(made.nodes))
    finally:
        await milan.kubectl("delete", "namespace", namespace, "--wait=false")
        await milan.kubectl("uncordon", "milan-kwok-0")
    await market.becomes(CPU, "90")


@pytest.mark.timeout(7200)
async def test_the_amounts_are_right_after_every_change(estate: Estate, nodes: int) -> None:
    before = await starts(estate.market.milan)
    await estate.build(nodes)
    await estate.is_told()
    await estate.fill(nodes * PODS_OF_EACH)
    await estate.is_told()
    await estate.move()
    await estate.is_told()
    some = list(estate.nodes)[::TENTH]
    await estate.close(some)
    await estate.is_told()
    await estate.close(some, closed=False)
    await estate.is_told()
    await estate.end(estate.pods_on(some))
    await estate.is_told()
    await estate.raze(some)
    await estate.is_told()
    assert await starts(estate.market.milan) == before, "none of our programs was started again"


async def starts(site: Site) -> dict[str, int]:
    """How often each of our programs was started again, by pod."""
    found = await read(site, "pods", "-n", "liqo")
    return {
        pod["metadata"]["name"]: sum(each["restartCount"] for each in statuses)
        for pod in found["items"]
        if (statuses := pod["status"].get("containerStatuses"))
    }
