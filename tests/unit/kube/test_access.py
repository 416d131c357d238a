"""What is given in place or in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from liqo.kube.access import NOTHING, Material
from liqo.kube.errors import Misconfigured


def test_nothing_is_false_and_empty() -> None:
    assert not NOTHING
    assert NOTHING.read() == ""
    assert Material(data="x")


def test_a_file_is_read_anew_each_time(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("one")
    material = Material(file=str(file))
    before = material.version()
    assert material.read() == "one"
    file.write_text("three")
    assert material.read() == "three"
    assert material.version() != before


def test_a_link_that_is_moved_is_a_new_version(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / name).write_text("same size")
    link = tmp_path / "link"
    link.symlink_to("old")
    material = Material(file=str(link))
    before = material.version()
    (tmp_path / "next").symlink_to("new")
    (tmp_path / "next").rename(link)
    assert material.version() != before


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    missing = Material(file=str(tmp_path / "ca.crt"))
    for use in (missing.read, missing.version):
        with pytest.raises(Misconfigured, match=r"cannot read .*ca.crt: No such file"):
            use()
