"""How a command ends."""

import asyncio
import os
import signal
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from liqo.cli.playground import command
from liqo.cli.playground.context import in_playground, to_its_end
from liqo.playground.errors import PlaygroundError


@click.command()
@in_playground
def show(playground_name: str) -> None:
    click.echo(playground_name)


async def fail() -> None:
    raise PlaygroundError("etcd ended")


def test_a_command_returns_what_its_work_returns() -> None:
    async def work() -> int:
        return 42

    assert to_its_end(work()) == 42


def test_what_fails_among_others_is_told_as_if_it_were_alone() -> None:
    async def work() -> None:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(3):
                tasks.create_task(fail())

    with pytest.raises(PlaygroundError, match="etcd ended"):
        to_its_end(work())


def test_what_is_terminated_undoes_what_it_began() -> None:
    done = []

    async def work() -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.Event().wait()
        finally:
            done.append("undone")

    with pytest.raises(SystemExit) as ended:
        to_its_end(work())
    assert (ended.value.code, done) == (143, ["undone"])


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
