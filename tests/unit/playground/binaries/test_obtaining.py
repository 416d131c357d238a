"""Given, kept, downloaded or built: what is taken first."""

import os
import shutil
import time
from pathlib import Path

import pytest

from liqo.playground.binaries import KUBERNETES, default_version, download, obtaining
from liqo.playground.binaries.obtaining import Origins, obtain_from, origins
from liqo.playground.errors import PlaygroundError


def silent(_: str) -> None:
    """For tests that are not about words."""


def a_folder(path: Path, *names: str) -> Path:
    path.mkdir()
    for name in names:
        (path / name).write_text("#!/bin/sh\n")
        (path / name).chmod(0o755)
    return path


def test_the_environment_tells_where_binaries_come_from(tmp_path: Path) -> None:
    where = origins({"KUBEBUILDER_ASSETS": "/a", "LIQO_KUBE_BIN": "/b", "XDG_CACHE_HOME": "/c"})
    assert list(where.given.items()) == [
        ("LIQO_KUBE_BIN", Path("/b")),
        ("KUBEBUILDER_ASSETS", Path("/a")),
    ]
    assert where.cache == Path("/c/liqo/binaries")
    assert where.releases == download.OFFICIAL


def test_downloads_can_be_switched_off() -> None:
    assert origins({"LIQO_KUBE_DOWNLOAD": ""}).releases == ""


async def test_given_binaries_are_used_as_they_are(tmp_path: Path) -> None:
    folder = a_folder(tmp_path / "given", "kubectl", "etcd")
    where = Origins({"LIQO_KUBE_BIN": folder}, "", tmp_path / "cache")
    found = await obtain_from(where, ["kubectl", "etcd"], "", silent)
    assert found == {"kubectl": folder / "kubectl", "etcd": folder / "etcd"}
    assert not where.cache.exists()


def test_the_first_folder_that_has_a_binary_wins(tmp_path: Path) -> None:
    ours = a_folder(tmp_path / "ours", "etcd")
    theirs = a_folder(tmp_path / "theirs", "etcd", "kubectl")
    where = Origins({"LIQO_KUBE_BIN": ours, "KUBEBUILDER_ASSETS": theirs}, "", tmp_path)
    assert obtaining.given(where, ["etcd", "kubectl"]) == {
        "etcd": ours / "etcd",
        "kubectl": theirs / "kubectl",
    }


def test_a_given_folder_that_is_none_is_said_by_its_variable(tmp_path: Path) -> None:
    where = Origins({"LIQO_KUBE_BIN": tmp_path / "missing"}, "", tmp_path)
    with pytest.raises(
        PlaygroundError, match=r"LIQO_KUBE_BIN names .*/missing, which is no folder"
    ):
        obtaining.given(where, KUBERNETES)


async def test_an_official_release_is_downloaded_once(
    tmp_path: Path, mirror: Path, releases: str
) -> None:
    where = Origins({}, releases, tmp_path / "cache")
    found = await obtain_from(where, KUBERNETES, "", silent)
    assert set(found) == set(KUBERNETES)
    assert all(os.access(path, os.X_OK) for path in found.values())

    shutil.rmtree(mirror)
    said: list[str] = []
    assert await obtain_from(where, KUBERNETES, "", said.append) == found
    assert said == []


async def test_what_is_kept_is_found_in_milliseconds(tmp_path: Path, releases: str) -> None:
    where = Origins({}, releases, tmp_path / "cache")
    await obtain_from(where, KUBERNETES, "", silent)
    started = time.process_time()
    await obtain_from(where, KUBERNETES, "", silent)
    assert time.process_time() - started < 0.1


async def test_a_version_asked_for_is_not_taken_from_a_folder_of_unknown_version(
    tmp_path: Path, releases: str
) -> None:
    folder = a_folder(tmp_path / "given", "kubectl")
    where = Origins({"LIQO_KUBE_BIN": folder}, releases, tmp_path / "cache")
    found = await obtain_from(where, ["kubectl"], default_version(), silent)
    assert found["kubectl"].is_relative_to(where.cache)


async def test_a_spoilt_release_leaves_nothing_behind(
    tmp_path: Path, mirror: Path, releases: str
) -> None:
    (mirror / "kubectl").write_text("something else")
    where = Origins({}, releases, tmp_path / "cache")
    with pytest.raises(PlaygroundError, match="checksum"):
        await obtain_from(where, KUBERNETES, "", silent)
    assert [path.name for path in where.cache.iterdir()] == ["lock"]


async def test_a_cache_that_cannot_be_written_is_said_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    where = Origins({}, "", tmp_path / "file" / "cache")
    with pytest.raises(PlaygroundError, match=r"cannot be kept .*Not a directory.*XDG_CACHE_HOME"):
        await obtain_from(where, ["etcd"], "", silent)


async def test_an_unknown_version_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    where = Origins({}, "", tmp_path / "cache")
    with pytest.raises(PlaygroundError, match=r"v1\.2\.3"):
        await obtain_from(where, KUBERNETES, "v1.2.3", silent)
    assert not where.cache.exists()
