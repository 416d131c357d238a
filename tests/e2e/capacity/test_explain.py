"""Shares explained: sums with their inputs, and what they mean for a single pod."""

from __future__ import annotations

import json
import shlex
from functools import partial

from liqo.api.meta import JSON
from tests.e2e.capacity.market import ABROAD, CPU, GPU, Market, a_pod
from tests.e2e.eventually import eventually
from tests.e2e.installation import of
from tests.e2e.liqoctl import Ended, liqoctl
from tests.e2e.loans import done
from tests.e2e.offloaded import mapped, read


async def explain(market: Market, *words: str) -> Ended:
    return done(await liqoctl("explain", "capacity", "milan", *words, of(market.rome)))


async def explained(market: Market, resource: str) -> JSON:
    told: JSON = json.loads((await explain(market, "-o", "json")).stdout)["resources"][resource]
    return told


async def test_the_sum_of_the_seed_is_told_with_its_inputs(market: Market) -> None:
    await market.becomes(CPU, "90")
    async with market.with_pod(cpu=50):
        await market.becomes(CPU, "45")
        assert f"\n{CPU} 45 = floor(0.9 × (100 − 50))\n" in (await explain(market)).stdout
        told = await explained(market, CPU)
    inputs = {"percentage": 90, "rounding": "floor", "allocatable": "100", "requested": "50"}
    assert inputs.items() <= told.items()
    assert (told["granted"], told["largestOnOneNode"], told["freeByNode"]) == ("45", "45", ["50"])
    await market.becomes(CPU, "90")


async def test_what_is_rounded_to_none_is_told_with_what_to_do(market: Market) -> None:
    async with market.with_nodes(cpu="1", gpu="1"):
        await market.becomes(GPU, "0")
        said = await explain(market)
        assert f"\n{GPU} 0 = floor(0.9 × 1): use at-least-one\n" in said.stdout
        [warning] = said.told
        begun, _, command = warning.partition(" there with: kubectl ")
        assert begun == f"WARN: {GPU} is rounded to none; the administrator of milan lends one"
        assert (await explained(market, CPU))["freeByNode"] == ["100", "1"]
        async with market.deciding():
            await market.milan.kubectl(*shlex.split(command))  # typed as it stands there
            await market.becomes(GPU, "1")
    await market.becomes(GPU, None)


async def test_a_pod_that_fits_the_sum_and_no_single_node_is_told_so(market: Market) -> None:
    rome = market.rome
    async with market.with_nodes(cpu="100"), mapped(rome, "giant"):
        await market.becomes(CPU, "180")
        giant = a_pod("giant", "giant", 150, **ABROAD)
        await rome.kubectl("create", "-f", "-", text=json.dumps(giant))
        about = ("-n", "giant", "--field-selector=reason=TooLargeForOneNode")
        seen = await eventually(
            partial(read, rome, "events", *about), lambda found: bool(found["items"])
        )
        [told] = seen["items"]
        assert told["message"].startswith(
            'it asks for cpu 150, and no single node of cluster "milan" lends more than 100. '
        )
        await rome.kubectl("delete", "pod", "giant", "-n", "giant")
    await market.becomes(CPU, "90")
