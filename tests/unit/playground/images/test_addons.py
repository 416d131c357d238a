"""The playground's images: whose binary is given is packed, once."""

import json
import os
import re
import tarfile
from pathlib import Path

import pytest

from liqo.playground.images import COREDNS, DEMO, HELPER, LOCAL_PATH, METRICS_SERVER, PAUSE, names
from liqo.playground.images.addons import ADDONS, addons, helper_tree
from liqo.playground.images.layer import File, Link

SOURCES = Path(__file__).parents[4] / "src/liqo/playground/sources"


def executable(path: Path, script: str) -> Path:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def busybox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return executable(tmp_path / "busybox", "printf 'busybox\\nls\\nsh\\n'")


@pytest.fixture
def binaries(tmp_path: Path) -> dict[str, Path]:
    return {name: executable(tmp_path / name, f"echo {name}") for name in ("pause", "demo")}


def test_the_helper_has_one_program_under_many_names(tmp_path: Path) -> None:
    tree = helper_tree(tmp_path / "busybox", ["busybox", "ls", "sh"])
    assert tree["bin/busybox"] == File(tmp_path / "busybox", 0o755)
    assert tree["bin/sh"] == tree["bin/ls"] == Link("busybox")


async def test_one_archive_has_the_helper_and_what_is_given(
    binaries: dict[str, Path], busybox: Path
) -> None:
    said: list[str] = []
    path = await addons({**binaries, "kubelet": busybox}, said.append, busybox)
    assert names(path) == [HELPER, PAUSE, DEMO]
    assert said == ["packing the images helper, pause, demo"]


async def test_the_demo_has_the_shell_of_the_helper(
    binaries: dict[str, Path], busybox: Path
) -> None:
    with tarfile.open(await addons(binaries, print, busybox)) as tar:
        table = tar.extractfile("manifest.json")
        assert table is not None
        layers = {image["RepoTags"][0]: image["Layers"] for image in json.load(table)}
    [shell] = layers[HELPER]
    assert layers[DEMO][:-1] == [shell]
    assert shell not in layers[PAUSE]


async def test_nothing_is_packed_twice(binaries: dict[str, Path], busybox: Path) -> None:
    said: list[str] = []
    first = await addons(binaries, said.append, busybox)
    assert await addons(binaries, said.append, busybox) == first
    assert len(said) == 1


async def test_a_new_binary_makes_a_new_archive(binaries: dict[str, Path], busybox: Path) -> None:
    said: list[str] = []
    first = await addons(binaries, said.append, busybox)
    os.utime(binaries["demo"], (1, 1))
    assert await addons(binaries, said.append, busybox) != first


def test_every_image_is_local_and_has_its_version() -> None:
    images = [addon.name for addon in ADDONS.values()]
    assert {COREDNS, DEMO, LOCAL_PATH, METRICS_SERVER, PAUSE} == set(images)
    assert all(re.fullmatch(r"localhost/playground/[a-z-]+:[0-9.]+", name) for name in images)


def test_the_versions_are_those_that_are_built() -> None:
    modules = "".join(path.read_text() for path in SOURCES.glob("*/go.mod"))
    for name in (COREDNS, LOCAL_PATH, METRICS_SERVER):
        module, _, version = name.rpartition("/")[2].partition(":")
        assert f"/{module} v{version}" in modules
