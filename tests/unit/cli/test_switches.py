"""Switches in every spelling."""

from __future__ import annotations

import click
import pytest

from liqo.cli.flags import switch
from liqo.cli.switches import plain


@click.command()
@click.argument("name")
@switch("--wait", default=True, help="Wait.")
@switch("--no-node", default=False, help="None.")
@click.option("--text", default="", help="Text.")
def verb(name: str, wait: bool, no_node: bool, text: str) -> None:
    click.echo(f"{name} {wait} {no_node} {text}")


@pytest.mark.parametrize(
    ("words", "heard"),
    [
        (["a"], "a True False "),
        (["--wait", "a"], "a True False "),
        (["--no-wait", "a"], "a False False "),
        (["--wait=false", "a"], "a False False "),
        (["--wait=True", "a"], "a True False "),
        (["--no-node=true", "a"], "a True True "),
        (["--no-node=false", "a"], "a True False "),
        (["--text=false", "a"], "a True False false"),
        (["--", "--wait=false"], "--wait=false True False "),
    ],
)
def test_a_switch_may_be_assigned(
    words: list[str], heard: str, capsys: pytest.CaptureFixture[str]
) -> None:
    verb.main(plain(verb, words), standalone_mode=False)
    assert capsys.readouterr().out == f"{heard}\n"


def test_what_is_no_switch_stays_as_it_is() -> None:
    assert plain(verb, ["--other=true", "x=true"]) == ["--other=true", "x=true"]
