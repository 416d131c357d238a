"""A peer that is gone for good."""

from __future__ import annotations

import json

import pytest

from liqo.cli.call import Call
from liqo.cli.flags import Settings, Target
from liqo.cli.output import Output
from liqo.cli.peering.forgetting import forget
from liqo.errors import LiqoError
from tests.unit.cli.peering.pairs import an_object, scene
from tests.unit.kube.scripted import a_list, says

CALL = Call(Output(), Settings(False, True, {}, {}), Target(), Target())
NONE = a_list(version="1")
SUMMARY = an_object("milan", spec={"clusterID": "milan"})
HOME = an_object("liqo-tenant-milan")


async def test_it_is_declared_dead_and_its_namespace_goes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    answers = [
        a_list(SUMMARY, version="1"),
        says(SUMMARY),
        a_list(HOME, version="1"),
        says({}),
        NONE,
    ]
    async with scene(rome=answers) as world:
        await forget(CALL, world.pair.consumer.cluster, "milan", 10)
    marks = json.loads(world.rome.asked[1].body)["metadata"]["annotations"]
    assert marks == {"liqo.io/foreign-cluster-permanently-unreachable": "true"}
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("INFO")]
    assert told == [
        "INFO: Info about the remote cluster retrieved successfully",
        "INFO: Foreign cluster declared as permanently unreachable successfully",
        "INFO: Force unpeer executed successfully",
    ]


async def test_nobody_forgets_whom_he_never_knew() -> None:
    async with scene(rome=[NONE]) as world:
        with pytest.raises(LiqoError, match="remote cluster with ID milan not found"):
            await forget(CALL, world.pair.consumer.cluster, "milan", 10)
