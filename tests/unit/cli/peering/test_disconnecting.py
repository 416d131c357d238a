"""What others made of a network is removed with the peering."""

from __future__ import annotations

import pytest

from liqo.cli.peering.disconnecting import reset, reset_here
from tests.unit.cli.peering.pairs import HERE, an_object, scene
from tests.unit.kube.scripted import a_list, says

NONE = a_list(version="1")


async def test_all_three_kinds_go_on_both_sides(capsys: pytest.CaptureFixture[str]) -> None:
    gateway = a_list(an_object("milan", HERE), version="1")
    async with scene(rome=[gateway, says({}), NONE, NONE], milan=[NONE] * 3) as world:
        await reset(world.pair)
    assert capsys.readouterr().err.splitlines() == [
        "Deleting gateway client",
        "INFO: Gateway client correctly deleted",
        "Deleting gateway client",
        "INFO: Gateway client already deleted",
        "Deleting gateway server",
        "INFO: Gateway server already deleted",
        "Deleting gateway server",
        "INFO: Gateway server already deleted",
        "Deleting network configuration",
        "INFO: Network configuration already deleted",
        "Deleting network configuration",
        "INFO: Network configuration already deleted",
    ]


async def test_without_the_provider_only_ours_go() -> None:
    async with scene(rome=[NONE] * 3) as world:
        await reset_here(world.pair.consumer, "milan")
    assert len(world.rome.asked) == 3
