"""Which playground a command means."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from liqo.cli.playground import command
from liqo.cli.playground.context import in_playground
from liqo.playground.errors import PlaygroundError


@click.command()
@in_playground
def show(playground_name: str) -> None:
    click.echo(playground_name)


def test_the_playground_is_named_by_option_or_environment() -> None:
    named = CliRunner().invoke(show, ["-p", "a"], env={"LIQO_PLAYGROUND": "b"}).output
    assert named == "a\n"
    assert CliRunner().invoke(show, [], env={"LIQO_PLAYGROUND": "b"}).output == "b\n"
    assert CliRunner().invoke(show, [], env={"LIQO_PLAYGROUND": None}).output == "default\n"


@pytest.mark.parametrize(
    "words",
    [
        ["status"],
        ["env"],
        ["kubeconfig", "rome"],
        ["shell", "rome"],
        ["load", str(Path(__file__))],
        ["cut", "rome", "milan"],
        ["heal", "rome", "milan"],
        ["delay", "rome", "milan", "50ms"],
        ["pause", "rome"],
        ["resume", "rome"],
        ["kill", "rome", "etcd"],
        ["start", "rome", "etcd"],
    ],
    ids=lambda words: str(words[0]),
)
def test_without_root_or_without_a_playground_a_command_says_so_at_once(words: list[str]) -> None:
    call = [*words, "--playground", "never-made-by-anybody"]
    with pytest.raises(PlaygroundError, match=r"there is no playground|clusters need root"):
        command.main(call, prog_name="playground", standalone_mode=False)
