"""The end of tenant namespaces."""

from __future__ import annotations

import pytest

from liqo.cli.peering.parting import Places
from liqo.cli.peering.removal import delete_namespaces
from tests.unit.cli.peering.pairs import HERE, THERE, methods, scene
from tests.unit.kube.scripted import a_list, refuses, says

NONE = a_list(version="1")


async def test_both_go_and_the_summaries_with_them(capsys: pytest.CaptureFixture[str]) -> None:
    answers = [says({}), NONE, NONE]
    async with scene(rome=answers, milan=answers) as world:
        await delete_namespaces(world.pair, Places(HERE, THERE), wait=True)
    assert methods(world.rome.asked) == methods(world.milan.asked) == ["DELETE", "GET", "GET"]
    told = capsys.readouterr().err
    assert told.count("INFO: Tenant namespace deleted") == 2
    assert told.count("INFO: Ensured tenant namespace absence") == 2


async def test_a_peering_user_leaves_that_to_the_administrator(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with scene(rome=[says({}), NONE, NONE], milan=[refuses(403)]) as world:
        await delete_namespaces(world.pair, Places(HERE, THERE), wait=True)
    told = capsys.readouterr().err
    assert "administrator does it with: kubectl delete namespace liqo-tenant-rome" in told
    assert told.count("INFO: Ensured tenant namespace absence") == 1
    assert methods(world.milan.asked) == ["DELETE"]
