"""The whole of `liqoctl explain capacity`, as a person or a program sees it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from liqo.cli.explain.verbs import capacity
from tests.unit.cli.answers import thing, things
from tests.unit.cli.calling import called
from tests.unit.cli.explain.things import SHARED, a_node, a_pod, a_slice

PODS = (a_pod("old", "40"), a_pod("new", "10", minute=1))
ANSWERS = (things(a_node(SHARED)), things(*PODS), thing(a_slice(SHARED)))


async def test_people_read_sums_and_tables(capsys: pytest.CaptureFixture[str]) -> None:
    await called(capacity, "milan", *ANSWERS)
    said = capsys.readouterr()
    assert said.out.splitlines()[2:] == [
        "cpu 45 = floor(0.9 × (100 − 50))",
        "nvidia.com/gpu 0 = floor(0.9 × 1): use at-least-one",
        "",
        "RESOURCE         OFFERED   IN USE   LEFT   LARGEST POD   FREE ON 4 NODES",
        "cpu              45        50       0      25            25 10 10 5",
        "nvidia.com/gpu   0         0        0      0             1",
        "",
        "NAMESPACE   POD   RESOURCE   ASKED FOR   LEFT BY OLDER PODS",
        "shop        new   cpu        10          5",
    ]
    assert [line[:6] for line in said.err.splitlines()] == ["WARN: ", "WARN: "]


@pytest.mark.parametrize(("form", "read"), [("json", json.loads), ("yaml", yaml.safe_load)])
async def test_programs_read_one_document(
    form: str, read: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    await called(capacity, f"milan -o {form}", *ANSWERS)
    said = capsys.readouterr()
    told = read(said.out)
    assert told["resources"]["cpu"]["percentage"] == 90
    assert told["doesNotFit"][0]["name"] == "new"
    assert said.err == ""
