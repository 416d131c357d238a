"""Binaries appear whole, and for one process at a time."""

import asyncio
from pathlib import Path

import pytest

from liqo.playground.binaries import cache


def an_executable(path: Path) -> Path:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_a_folder_tells_what_it_holds() -> None:
    assert cache.folder_name("etcd", "v3.6.16", "0123") == "etcd-v3.6.16-0123"
    assert cache.folder_name("pause", "", "0123") == "pause-0123"


def test_only_executable_files_count(tmp_path: Path) -> None:
    etcd = an_executable(tmp_path / "etcd")
    (tmp_path / "kubectl").write_text("half a download")
    (tmp_path / "kubelet").mkdir()
    found = cache.executables(tmp_path, ["etcd", "kubectl", "kubelet", "kube-proxy"])
    assert found == {"etcd": etcd}


def test_a_version_that_lies_in_the_cache_is_known(tmp_path: Path) -> None:
    for name in ("kubernetes-v1.35.4-0123", "kubernetes-v1.34.4-official", "etcd-v3.6.16-45"):
        (tmp_path / name).mkdir()
    assert cache.kept_versions(tmp_path) == {"v1.35.4", "v1.34.4"}


def test_a_folder_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    folder = tmp_path / "etcd-1"
    with cache.appearing(folder) as unfinished:
        an_executable(unfinished / "etcd")
        assert not folder.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["etcd-1"]
    assert (folder / "etcd").exists()


def test_a_folder_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fails() -> None:
        with cache.appearing(tmp_path / "etcd-1") as unfinished:
            an_executable(unfinished / "etcd")
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        fails()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_a_hole_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "etcd-1" / "old").mkdir(parents=True)
    with cache.appearing(tmp_path / "etcd-1") as unfinished:
        an_executable(unfinished / "etcd")
    assert [path.name for path in (tmp_path / "etcd-1").iterdir()] == ["etcd"]


async def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / f"{cache.UNFINISHED}abc"
    left.mkdir()
    async with cache.locked(tmp_path, lambda _: None):
        assert not left.exists()


async def test_the_second_process_waits_and_says_so(tmp_path: Path) -> None:
    said: list[str] = []
    waits = asyncio.Event()
    order: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        waits.set()

    async def second() -> None:
        async with cache.locked(tmp_path, say):
            order.append("second")

    async with asyncio.TaskGroup() as tasks, cache.locked(tmp_path, lambda _: None):
        tasks.create_task(second())
        await waits.wait()
        order.append("first")
    assert order == ["first", "second"]
    assert said == ["another process is getting Kubernetes' binaries: waiting for it"]
