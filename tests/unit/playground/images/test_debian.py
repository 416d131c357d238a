"""The base of the product's image is unpacked once, and says what it needs."""

from pathlib import Path

import pytest

from liqo.playground.errors import PlaygroundError
from liqo.playground.images import debian
from tests.unit.playground.images import programs


async def test_the_base_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs.install(tmp_path / "programs", monkeypatch)
    said: list[str] = []
    path = await debian.base(said.append)
    assert path == debian.place().path
    assert await debian.base(said.append) == path
    assert len(said) == 1


async def test_without_its_program_it_says_which_package_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(PlaygroundError, match=r"apt-get install .* mmdebstrap"):
        await debian.base(print)
