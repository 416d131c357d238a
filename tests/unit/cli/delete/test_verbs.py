"""What `delete` takes, and how the end of a peering user is told."""

from __future__ import annotations

import click
import pytest

from liqo.cli.delete.verbs import peering_user
from tests.unit.cli.answers import thing, things
from tests.unit.cli.calling import called

WORDS = "--consumer-cluster-id rome"


async def test_the_end_of_a_peering_user_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    there = things({"metadata": {"name": "b", "namespace": "liqo"}})
    await called(peering_user, WORDS, there, things(), thing({}))
    assert capsys.readouterr().err == (
        'INFO: Peering user for cluster with ID "rome" deleted successfully\n'
    )


async def test_that_there_was_none_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    await called(peering_user, WORDS, things(), things())
    assert capsys.readouterr().err == 'INFO: There is no peering user for cluster with ID "rome"\n'


def test_a_consumer_that_cannot_be_is_refused() -> None:
    with pytest.raises(click.BadParameter, match="Rome!"):
        peering_user.make_context("x", ["--consumer-cluster-id", "Rome!"])
