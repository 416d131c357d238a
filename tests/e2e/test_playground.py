"""Clusters whose making fails, is killed or makes no sense leave nothing behind.

That three come and go with one command each is shown in tests/e2e/test_tutorial.py.
"""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest

from liqo.playground import processes
from liqo.playground.errors import PlaygroundError
from liqo.playground.layout import PREFIX, Options
from liqo.playground.playground import Playground
from tests.e2e import footprint
from tests.e2e.eventually import eventually

LIQOCTL = str(Path(sys.executable).parent / "liqoctl")
START_UP = 120.0  # seconds, on a crowded machine


async def liqoctl(*arguments: str, folder: Path) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the command, called in that folder."""
    process = await asyncio.create_subprocess_exec(
        *(LIQOCTL, *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
    )
    output, errors = await process.communicate()
    assert process.returncode is not None
    return process.returncode, output.decode(), errors.decode()


async def test_an_up_whose_cluster_is_killed_says_so_and_leaves_nothing(
    own_playground: Playground,
) -> None:
    before = footprint.take(own_playground.name)
    namespace = f"{PREFIX}{own_playground.name}.rome.0"

    async def kill_everything() -> None:
        async def components() -> set[str]:
            return {process.name for process in processes.of_namespace(namespace)}

        await eventually(components, lambda seen: "kube-apiserver" in seen, within=START_UP)
        processes.send(signal.SIGKILL, processes.of_namespace(namespace))

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(kill_everything())
        with pytest.raises(PlaygroundError, match="rome"):
            await own_playground.up(["rome", "milan"], Options())
    await eventually(partial(footprint.left, own_playground.name, before), is_={})


async def half_an_up(playground: Playground, folder: Path) -> Process:
    """A `liqoctl playground up` that has come to the API server."""
    process = await asyncio.create_subprocess_exec(
        *("env", "--default-signal=INT"),  # who runs these tests in the background ignores it
        *(LIQOCTL, "playground", "up", "rome", "--playground", playground.name),
        stderr=asyncio.subprocess.DEVNULL,
        cwd=folder,
    )

    async def components() -> set[str]:
        found = processes.of_namespace(f"{PREFIX}{playground.name}.rome.0")
        return {process.name for process in found}

    await eventually(components, lambda seen: "kube-apiserver" in seen, within=START_UP)
    return process


async def test_down_removes_what_a_killed_up_left(
    own_playground: Playground, tmp_path: Path
) -> None:
    before = footprint.take(own_playground.name)
    process = await half_an_up(own_playground, tmp_path)
    process.kill()
    await process.wait()
    assert footprint.take(own_playground.name).beyond(before) != {}
    await own_playground.down()
    await eventually(partial(footprint.left, own_playground.name, before), is_={})


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_an_interrupted_up_leaves_nothing(
    own_playground: Playground, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    before = footprint.take(own_playground.name)
    process = await half_an_up(own_playground, tmp_path)
    process.send_signal(number)
    assert await process.wait() == code
    assert list(tmp_path.iterdir()) == []
    await eventually(partial(footprint.left, own_playground.name, before), is_={})


async def test_a_component_that_cannot_start_is_named_with_its_reason(
    own_playground: Playground,
) -> None:
    before = footprint.take(own_playground.name)
    taken = Options(flags=(("kube-apiserver", "--secure-port=2379"),))  # etcd's
    with pytest.raises(PlaygroundError, match=r'kube-apiserver of "rome" ended: .*in use'):
        await own_playground.up(["rome"], taken)
    await eventually(partial(footprint.left, own_playground.name, before), is_={})


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("up", "Rome"), 'the cluster name "Rome" is not a DNS label'),
        (("up", "r" * 64), "has 64 characters and may have 63"),
        (("up", "rome", "rome"), 'the cluster "rome" is named twice'),
        (("up", "rome", "--pod-cidr", "10.1.0.0/33"), "is not an IPv4 network"),
        (("up", "rome", "--network", "127.0.0.0/24"), "which this machine uses already"),
        (("up", "rome", "--kubernetes-version", "v0.1.0"), "v0.1.0"),
        (("status",), "there is no playground"),
        (("kubeconfig", "rome"), "there is no playground"),
        (("up", "--workers", "many"), "see: liqoctl playground up --help"),
        (("delay", "rome", "milan", "fast"), "'fast' is not a duration"),
        (("load", "nothing.tar"), "there is no file nothing.tar"),
    ],
)
async def test_bad_input_gets_one_clear_sentence(
    arguments: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    verb, *rest = arguments
    name = f"bad-{uuid4().hex[:8]}"
    before = footprint.take(name)
    code, output, errors = await liqoctl(
        *("playground", verb, "--playground", name, *rest), folder=tmp_path
    )
    assert code == 1
    assert output == ""
    assert sentence in errors
    assert len(errors.splitlines()) == 1
    await eventually(partial(footprint.left, name, before), is_={})


async def test_without_root_it_says_what_to_do(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    process = await asyncio.create_subprocess_exec(
        *(
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            LIQOCTL,
            "playground",
            "up",
        ),
        stderr=asyncio.subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    _, errors = await process.communicate()
    assert process.returncode == 1
    assert errors.decode().startswith("ERRO: clusters need root")
