"""A verb is called with its clusters, and every wait of it ends."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click
import pytest

from liqo.cli.call import Call, at_most, one_cluster, two_clusters
from liqo.errors import LiqoError

KUBECONFIG = """\
current-context: one
clusters:
- {name: one, cluster: {server: "https://one:6443"}}
- {name: two, cluster: {server: "https://two:6443"}}
contexts:
- {name: one, context: {cluster: one}}
- {name: two, context: {cluster: two}}
"""


@click.command()
@click.argument("name")
@one_cluster
async def single(call: Call, name: str) -> None:
    async with call.cluster() as cluster:
        click.echo(f"{name} {cluster.access.server} {call.settings.verbose}")


@click.command()
@two_clusters
async def double(call: Call) -> None:
    async with call.clusters() as (local, remote):
        click.echo(f"{local.access.server} {remote.access.server}")


@pytest.fixture
def kubeconfig(tmp_path: Path) -> str:
    file = tmp_path / "config"
    file.write_text(KUBECONFIG)
    return str(file)


def run(command: click.Command, *words: str) -> None:
    command.main(words, prog_name="liqoctl", standalone_mode=False)


def test_a_verb_gets_its_cluster_and_its_own_words(
    kubeconfig: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(single, "x", "--kubeconfig", kubeconfig, "--context", "two", "-v")
    assert capsys.readouterr().out == "x https://two:6443 True\n"


def test_two_clusters_are_two(kubeconfig: str, capsys: pytest.CaptureFixture[str]) -> None:
    both = ("--kubeconfig", kubeconfig, "--remote-kubeconfig", kubeconfig)
    run(double, *both, "--remote-context", "two")
    assert capsys.readouterr().out == "https://one:6443 https://two:6443\n"
    with pytest.raises(LiqoError, match="local and remote clusters must be different: both are"):
        run(double, *both)


async def test_a_wait_ends_with_what_was_waited_for() -> None:
    with pytest.raises(LiqoError) as ended:
        async with at_most(0.01, "the nonce"):
            await asyncio.Event().wait()
    assert str(ended.value) == ("timed out waiting for the condition: the nonce (waited 0.01 s)")
