"""Go is found, run, listened to, and ended when it must be."""

import asyncio
import os
import select
import subprocess
from pathlib import Path

import pytest

from liqo.playground.binaries import build
from liqo.playground.binaries.build import Go, Progress
from liqo.playground.binaries.sources import Build
from liqo.playground.errors import PlaygroundError
from liqo.playground.waiting import until

TINY = Build("tiny", "tiny", {"small": "."})


def a_module(folder: Path, code: str) -> Path:
    (folder / "tiny").mkdir()
    (folder / "tiny" / "go.mod").write_text("module liqo/tiny\n\ngo 1.26\n")
    (folder / "tiny" / "main.go").write_text(code)
    return folder


def a_go() -> Go:
    go = build.find_go()
    assert go is not None, "the locked environment has Go"
    return go


def test_go_of_the_locked_environment_is_found() -> None:
    assert build.is_new_enough(a_go().version)


@pytest.mark.parametrize(
    ("version", "expected"),
    [("go1.26.6", True), ("go1.27", True), ("go2.0", True), ("go1.25.9", False), ("devel", False)],
)
def test_go_must_be_new_enough(version: str, expected: bool) -> None:
    assert build.is_new_enough(version) is expected


def test_a_folder_without_go_is_no_toolchain(tmp_path: Path) -> None:
    assert build.toolchain(tmp_path) is None
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "go").touch()
    assert build.toolchain(tmp_path) is None, "which version it is cannot be told"


def test_the_shell_does_not_change_what_is_built() -> None:
    go = Go(Path("/opt/go/bin/go"), "go1.26.6")
    shell = {"GOARCH": "s390x", "GOFLAGS": "-race", "GOPROXY": "file:///mirror", "PATH": "/bin"}
    environment = build.environment(go, shell)
    assert "GOARCH" not in environment
    assert environment["GOFLAGS"] == "-mod=readonly"
    assert environment["CGO_ENABLED"] == "0"
    assert environment["GOTOOLCHAIN"] == "local"
    assert environment["GOPROXY"] == "file:///mirror", "where modules come from is the user's"


def test_progress_tells_packages_from_errors() -> None:
    progress = Progress()
    for line in ("go: downloading k8s.io/api v0.35.4", "k8s.io/api/core/v1", "", "# k8s.io/api"):
        progress.read(line)
    assert (progress.downloaded, progress.compiled) == (1, 1)
    assert list(progress.messages) == ["# k8s.io/api"]


def test_progress_tells_what_it_waits_for() -> None:
    assert Progress(downloaded=3).describe(12) == "3 modules downloaded, 12 s"
    assert Progress(downloaded=3, compiled=40).describe(75) == "40 packages compiled, 1 min 15 s"


async def test_a_command_is_compiled_under_the_name_of_the_table(tmp_path: Path) -> None:
    modules = a_module(tmp_path, 'package main\n\nfunc main() { println("hello") }\n')
    said: list[str] = []
    await build.compile_with_go(TINY, tmp_path, a_go(), said.append, modules)
    ran = subprocess.run([tmp_path / "small"], check=True, capture_output=True, text=True)  # noqa: ASYNC221  # a millisecond
    assert ran.stderr == "hello\n"
    assert said[0].startswith("compiling tiny with go1.")
    assert said[-1].startswith("compiled tiny in ")


async def test_an_error_of_the_compiler_is_told_in_full(tmp_path: Path) -> None:
    modules = a_module(tmp_path, "package main\n\nfunc main() { missing() }\n")
    with pytest.raises(
        PlaygroundError, match=r"main.go:3:15: undefined: missing(?s:.*)LIQO_KUBE_BIN"
    ):
        await build.compile_with_go(TINY, tmp_path, a_go(), lambda _: None, modules)


async def test_an_interrupted_compiler_is_ended_with_its_children(tmp_path: Path) -> None:
    """A stand-in for Go starts a child and waits for it, as Go does with a compiler."""
    modules = a_module(tmp_path, "")
    os.mkfifo(tmp_path / "child")
    script = tmp_path / "go"
    script.write_text(f"#!/bin/sh\nsleep 600 &\necho $! > {tmp_path}/child\nwait\n")
    script.chmod(0o755)
    go = Go(script, "go1.26.6")
    async with asyncio.TaskGroup() as tasks:
        building = tasks.create_task(
            build.compile_with_go(TINY, tmp_path, go, lambda _: None, modules)
        )
        child = os.pidfd_open(int(await asyncio.to_thread((tmp_path / "child").read_text)))
        # Before it reports, asyncio itself is still busy with starting it.
        await until(is_reporting, 5, lambda: "the build does not report")
        building.cancel()
    ended, _, _ = select.select([child], [], [], 5)
    os.close(child)
    assert ended


def is_reporting() -> bool:
    return any(task.get_name() == build.REPORTS for task in asyncio.all_tasks())
