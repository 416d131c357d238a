"""cordon and uncordon resourceslice: one annotation, and a word to who is in the wrong cluster."""

from __future__ import annotations

import json

import click
import pytest

from liqo.cli.cordon.verbs import cordon_slice as cordon
from liqo.cli.cordon.verbs import uncordon_slice as uncordon
from liqo.errors import LiqoError
from tests.unit.cli.answers import a_home, a_slice, thing, things
from tests.unit.cli.calling import called
from tests.unit.kube.scripted import refuses

WORDS = "mypool --remote-cluster-id rome --skip-confirm"
HOME = things(a_home("rome"))
COPY = {
    "metadata": {
        "name": "mypool",
        "namespace": "liqo-tenant-rome",
        "labels": {"liqo.io/replicated": "true", "liqo.io/originID": "rome"},
    }
}


@pytest.mark.parametrize(
    ("verb", "value", "word"), [(cordon, "true", "cordoned"), (uncordon, None, "uncordoned")]
)
async def test_one_annotation_is_changed(
    verb: click.Command, value: str | None, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    requests = await called(verb, WORDS, HOME, thing(COPY), thing(COPY))
    change = {"metadata": {"annotations": {"liqo.io/cordon": value}}}
    assert json.loads(requests[2].body) == change
    assert capsys.readouterr().err == f'INFO: ResourceSlice "mypool" {word}\n'


async def test_a_consumer_is_told_that_it_is_not_its_turn(
    capsys: pytest.CaptureFixture[str],
) -> None:
    await called(cordon, WORDS, HOME, thing(a_slice()), thing(a_slice()))
    assert "WARN: the ResourceSlice" in capsys.readouterr().err


async def test_one_that_is_not_there_is_told() -> None:
    with pytest.raises(LiqoError, match='there is no ResourceSlice "mypool"'):
        await called(cordon, WORDS, HOME, refuses(404))
