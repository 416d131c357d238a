"""A page that is told: what its commands share, and when it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from liqo.cli.output import Output
from liqo.cli.playground.page import Step, steps
from liqo.cli.playground.story import PAGE, REST, a_shell, follow, unlike
from liqo.errors import LiqoError


async def test_what_one_command_exports_the_next_one_knows(
    capfd: pytest.CaptureFixture[str],
) -> None:
    async with a_shell("scratch") as shell:
        await follow(Output(), shell, Step("", ("NAME=rome", 'echo "$NAME \\\n$LIQO_PLAYGROUND"')))
    said = capfd.readouterr().out
    assert said.startswith("$ NAME=rome\n$ echo ")
    assert said.endswith("rome scratch\n")


async def test_a_command_that_fails_ends_it() -> None:
    async with a_shell("scratch") as shell:
        with pytest.raises(LiqoError, match="'false' failed"):
            await follow(Output(), shell, Step("", ("false",)))


async def test_a_look_may_fail_if_the_page_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    async with a_shell("scratch") as shell:
        await follow(Output(), shell, Step("", ("kubectl() { echo 'not found' >&2; return 1; }",)))
        await follow(Output(), shell, Step("", ("kubectl get nodes",), "not found\n"))
    assert capsys.readouterr().out.endswith("$ kubectl get nodes\nnot found\n")


def test_who_waited_in_vain_reads_what_was_seen() -> None:
    assert unlike("kubectl get nodes", "none\n").endswith("it says:\nnone\n")


async def test_a_table_is_looked_at_until_it_is_as_the_page_shows_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = f"kubectl() {{ echo x >> {tmp_path}/t; cat {tmp_path}/t; }}"
    async with a_shell("scratch") as shell:
        await follow(Output(), shell, Step("", (table,)))
        await follow(Output(), shell, Step("", ("kubectl get nodes",), "x\nx\n"))
    assert capsys.readouterr().out.endswith("$ kubectl get nodes\nx\nx\n")


def told() -> list[str]:
    page, found, _ = PAGE.read_text().partition(f"\n## {REST}\n")
    assert found
    return [command for step in steps(page) for command in step.commands]


def test_it_ends_before_everything_is_taken_away() -> None:
    assert "unoffload" in PAGE.read_text()
    assert not any("unoffload" in each or "unpeer" in each for each in told())


@pytest.mark.parametrize(
    "beginning",
    [
        "kubectl get nodes",
        "kubectl get pod -n liqo-demo -o wide",
        "kubectl exec",
        "kubectl logs",
        "kubectl top",
    ],
)
def test_it_shows_what_runs_elsewhere_as_if_it_ran_here(beginning: str) -> None:
    assert any(each.startswith(beginning) and "KUBECONFIG_" not in each for each in told())


@pytest.mark.parametrize("beginning", ["kubectl get nodes", "kubectl get pod -n liqo-demo -o wide"])
def test_it_shows_the_same_at_the_provider(beginning: str) -> None:
    assert any(each.startswith(beginning) and "KUBECONFIG_NAPLES" in each for each in told())
