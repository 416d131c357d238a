"""Amounts and names, as users write them."""

from __future__ import annotations

import click
import pytest

from liqo.cli.values import Name, resource_flags, resources
from liqo.rules import names


@click.command()
@resource_flags(cpu="2")
def ask(**said: object) -> None:
    click.echo(resources(said))


def test_the_four_flags_are_one_map(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--cpu", "2", "--pods", "10", "--resource", "a/b=1,memory=4Gi", "--resource=c/d=2"]
    ask.main(words, standalone_mode=False)
    said = {"cpu": "2", "pods": "10", "a/b": "1", "memory": "4Gi", "c/d": "2"}
    assert capsys.readouterr().out == f"{said}\n"


def test_nothing_said_is_nothing_asked(capsys: pytest.CaptureFixture[str]) -> None:
    ask.main([], standalone_mode=False)
    assert capsys.readouterr().out == "{}\n"


@pytest.mark.parametrize("words", [["--cpu", "x"], ["--resource", "a=x"], ["--resource", "a"]])
def test_what_is_wrong_is_a_wrong_call(words: list[str]) -> None:
    with pytest.raises(click.BadParameter):
        ask.main(words, standalone_mode=False)


def test_help_says_what_is_meant_without_a_flag() -> None:
    text = " ".join(ask.get_help(click.Context(ask)).split())
    assert "2, unless said" in text
    assert "what the provider chooses, unless said" in text


def test_R25_a_name_that_is_too_long_is_refused() -> None:
    name = Name(names.check_slice_name)
    assert name.convert("mypool", None, None) == "mypool"
    with pytest.raises(click.BadParameter, match="at most 50 are possible"):
        name.convert("x" * 51, None, None)
