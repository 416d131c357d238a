"""A layer depends on its files and on nothing else."""

import hashlib
import os
import tarfile
from pathlib import Path

from liqo.playground.images import layer
from liqo.playground.images.layer import File, Folder, Link, Tree


def members(path: Path) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(path) as tar:
        return {member.name: member for member in tar.getmembers()}


def test_parents_come_by_themselves_and_before_what_they_hold(tmp_path: Path) -> None:
    layer.write({"usr/bin/tool": File(b"!"), "etc/name": File(b"rome")}, tmp_path / "layer")
    assert list(members(tmp_path / "layer")) == [
        "etc",
        "etc/name",
        "usr",
        "usr/bin",
        "usr/bin/tool",
    ]


def test_files_folders_and_links_keep_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "tool").write_bytes(b"binary")
    tree: Tree = {
        "bin/tool": File(tmp_path / "tool", 0o755),
        "bin/alias": Link("tool"),
        "tmp": Folder(0o1777),
    }
    layer.write(tree, tmp_path / "layer")
    found = members(tmp_path / "layer")
    assert (found["bin/tool"].mode, found["bin/tool"].size) == (0o755, 6)
    assert found["bin/alias"].issym()
    assert found["bin/alias"].linkname == "tool"
    assert (found["tmp"].isdir(), found["tmp"].mode) == (True, 0o1777)


def test_everything_is_of_root_and_of_the_epoch(tmp_path: Path) -> None:
    layer.write({"etc/name": File(b"rome")}, tmp_path / "layer")
    owners = {(entry.uid, entry.gid, entry.mtime) for entry in members(tmp_path / "layer").values()}
    assert owners == {(0, 0, 0)}


def test_the_same_files_make_the_same_bytes_whatever_their_age_and_order(tmp_path: Path) -> None:
    (tmp_path / "tool").write_bytes(b"binary")
    first = layer.write(
        {"b": File(tmp_path / "tool"), "a": File(b"1"), "c/d": Link("x")}, tmp_path / "first"
    )
    os.utime(tmp_path / "tool", (1, 1))
    second = layer.write(
        {"c/d": Link("x"), "a": File(b"1"), "b": File(tmp_path / "tool")}, tmp_path / "second"
    )
    assert first.digest == second.digest
    assert first.path.read_bytes() == second.path.read_bytes()


def test_the_digest_is_that_of_the_tar(tmp_path: Path) -> None:
    written = layer.write({"a": File(b"1")}, tmp_path / "layer")
    assert written.digest == hashlib.sha256(written.path.read_bytes()).hexdigest()
    assert layer.found(written.path) == written


def test_a_folder_becomes_a_tree_of_its_files_and_links(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/tool").write_bytes(b"!")
    (tmp_path / "bin/tool").chmod(0o700)
    (tmp_path / "name").write_bytes(b"rome")
    (tmp_path / "alias").symlink_to("bin/tool")
    assert layer.tree_of(tmp_path) == {
        "bin/tool": File(tmp_path / "bin/tool", 0o755),
        "name": File(tmp_path / "name", 0o644),
        "alias": Link("bin/tool"),
    }
