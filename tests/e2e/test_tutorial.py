"""The tutorial, typed at a terminal from the page itself."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest

from liqo.api.meta import JSON
from liqo.cli.playground.page import Step, steps
from liqo.playground import binaries
from liqo.playground.command import run
from liqo.rules import explanation, names
from liqo.rules.quantity import Quantity, parse
from tests.e2e import footprint
from tests.e2e.eventually import eventually
from tests.e2e.liqoctl import CACHE, PROGRAMS, liqoctl
from tests.e2e.loans import SLICES
from tests.e2e.shell import Shell, a_shell

CHECKOUT = Path(__file__).parents[2]
PAGE = CHECKOUT / "docs" / "tutorial.md"
FOLDER = "examples/offloading-with-policies"
UP = "liqoctl playground up --install"
LENT = "kubectl get node --selector=liqo.io/type=virtual-node --show-labels"
KUBECONFIGS = {f"liqo_kubeconf_{each}": each for each in ("venice", "florence", "naples")}
WITHIN = 120.0  # seconds, until a table is as the page shows it


@pytest.mark.row("E07", "E14", "E15", "E16", "I01", "I02", "I03", "I04", "I05", "L06")
@pytest.mark.part_of_row("E12", "E13")
@pytest.mark.timeout(1800)  # three clusters, and all that a person does with them
async def test_the_tutorial_runs_as_it_is_written(tmp_path: Path) -> None:
    shutil.copytree(CHECKOUT / "examples", tmp_path / "examples")
    name = f"tutorial-{uuid4().hex[:6]}"
    before, folder = footprint.take(name), tmp_path / FOLDER
    told = list(steps(PAGE.read_text()))
    assert any(LENT in step.commands for step in told)
    files = set(folder.iterdir())
    environment = {
        "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": CACHE,
        "TERM": "xterm",
        "LIQO_PLAYGROUND": name,
    }
    try:
        async with a_shell(tmp_path, environment) as shell:
            for step in told:
                await follow(shell, step, name)
                if UP in step.commands:
                    assert set(folder.iterdir()) - files == {folder / made for made in KUBECONFIGS}
                    await all_is_well(folder, name)
                if LENT in step.commands:
                    await are_shares(folder)
        assert set(folder.iterdir()) == files
        await eventually(partial(footprint.left, name, before), is_={})
    finally:
        await liqoctl("playground", "down", "-p", name)


async def all_is_well(folder: Path, playground: str) -> None:
    """One node each, every component in good health; and a second `up` changes nothing."""
    named = ("-p", playground)
    kubectl = (await binaries.obtain(["kubectl"], say=print))["kubectl"]
    for file, cluster in KUBECONFIGS.items():
        config = f"--kubeconfig={folder / file}"
        assert await run(kubectl, config, "get", "nodes", "-o", "name") == f"node/{cluster}\n"
    again = await liqoctl("playground", "up", *named, folder=folder)
    assert again.code == 0, again.stderr
    for cluster in KUBECONFIGS.values():
        assert f"INFO: {cluster}: is up" in again.stderr
    await eventually(partial(health, folder, *named), is_={"ok"})


async def are_shares(folder: Path) -> None:
    """`peer out-of-band` asks for shares: each slice says how its amounts came about, and its node
    has them."""
    for provider in ("florence", "naples"):
        status, _ = await eventually(
            partial(lent, folder, provider), lambda seen: amounts(seen[0]["resources"]) == seen[1]
        )
        [said] = [each for each in status["conditions"] if each["type"] == "Resources"]
        told = explanation.read(said["message"])
        assert told is not None, said
        cpu = told.lines[0]
        assert (cpu.name, parse(cpu.granted)) == ("cpu", parse(status["resources"]["cpu"]))
        assert cpu.sum.startswith("floor(0.9 × ")


async def lent(folder: Path, provider: str) -> tuple[JSON, dict[str, Quantity]]:
    """The status of its slice, and what pods may have of its node."""
    kubectl = (await binaries.obtain(["kubectl"], say=print))["kubectl"]
    name, namespace = f"liqo-{provider}", names.tenant_namespace(provider)
    get = (kubectl, f"--kubeconfig={folder / 'liqo_kubeconf_venice'}", "get", "-o", "json")
    asked = json.loads(await run(*get, SLICES, name, "-n", namespace))
    node = json.loads(await run(*get, "node", name))
    return asked["status"], amounts(node["status"]["allocatable"])


def amounts(resources: dict[str, str]) -> dict[str, Quantity]:
    return {name: parse(amount) for name, amount in resources.items()}


async def health(folder: Path, *named: str) -> set[str]:
    """Of all components: one that is busy may not answer a single question in time."""
    status = await liqoctl("playground", "status", "-o", "json", *named, folder=folder)
    return {
        component["health"]
        for cluster in json.loads(status.stdout)
        for node in cluster["nodes"]
        for component in node["components"]
    }


async def follow(shell: Shell, step: Step, playground: str) -> None:
    answers = iter(step.answers)

    async def look() -> str:
        _, said = await typed(shell, step.commands[0], answers, playground)
        return said

    if step.is_look:
        await eventually(look, step.is_as_told, within=WITHIN)
        return
    seen = ""
    for command in step.commands:
        code, said = await typed(shell, command, answers, playground)
        assert code == 0, said
        seen += said
    assert step.is_as_told(seen), f"--- it said\n{seen}\n--- on the page\n{step.printed}"


async def typed(
    shell: Shell, command: str, answers: Iterator[str], playground: str
) -> tuple[int, str]:
    """Its exit code, and what it says, as if the playground had no name of its own."""
    code, said = await shell.does(command, answers)
    sys.stdout.write(f"$ {command}\n{said}")
    return code, said.replace(f" -p {playground}", "").replace(f'"{playground}"', '"default"')
