"""Mutual peers keep their namespaces."""

from __future__ import annotations

import pytest

from liqo.cli.peering.ending import Wanted, end
from liqo.errors import LiqoError
from tests.unit.cli.peering.pairs import an_object, methods, scene
from tests.unit.kube.scripted import a_list


async def test_the_namespaces_of_mutual_peers_are_not_deleted() -> None:
    mutual = {"role": "ConsumerAndProvider"}
    summary = an_object("milan", spec={"clusterID": "milan"}, status=mutual)
    async with scene(rome=[a_list(summary, version="1")]) as world:
        with pytest.raises(LiqoError) as refused:
            await end(world.pair, Wanted(10, wait=True, delete_namespaces=True))
    assert str(refused.value) == (
        "cannot delete the tenant namespace when a bidirectional is enabled, please remove the "
        "--delete-namespaces flag"
    )
    assert methods(world.rome.asked) == ["GET"]
    assert world.milan.asked == []
