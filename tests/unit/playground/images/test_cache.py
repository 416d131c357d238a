"""A slot is filled whole or not at all, and the cache does not grow without end."""

import os
from pathlib import Path

import pytest

from liqo.playground.images.cache import ABANDONED, KEPT, Slot, slot


def fill(place: Slot, name: str = "tar") -> None:
    with place.filling() as scratch:
        (scratch / name).touch()


def test_a_slot_is_filled_with_the_tar_and_nothing_else_stays(tmp_path: Path) -> None:
    place = Slot(tmp_path / "images/base-1.tar")
    assert not place.is_filled()
    with place.filling() as scratch:
        (scratch / "tar").write_text("whole")
        (scratch / "draft").write_text("left over")
    assert place.path.read_text() == "whole"
    assert os.listdir(tmp_path / "images") == ["base-1.tar"]


def test_a_failure_fills_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        fill(Slot(tmp_path / "base-1.tar"), name="half")
    assert os.listdir(tmp_path) == []


def test_only_the_newest_of_a_kind_are_kept(tmp_path: Path) -> None:
    for age in range(KEPT + 1):
        old = tmp_path / f"product-{age}.tar"
        old.touch()
        os.utime(old, (1000 - age, 1000 - age))
    fill(Slot(tmp_path / "base-1.tar"))
    fill(Slot(tmp_path / "product-new.tar"))
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert kept == ["base-1.tar", "product-0.tar", "product-1.tar", "product-new.tar"]


def test_what_a_killed_process_left_goes_after_a_while(tmp_path: Path) -> None:
    for name in (".abandoned", ".at-work"):
        (tmp_path / name).mkdir()
    longer_ago = (tmp_path / ".at-work").stat().st_mtime - ABANDONED - 1
    os.utime(tmp_path / ".abandoned", (longer_ago, longer_ago))
    fill(Slot(tmp_path / "base-1.tar"))
    assert sorted(os.listdir(tmp_path)) == [".at-work", "base-1.tar"]


def test_the_place_follows_from_the_recipe_and_what_it_is_made_from(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.py"
    recipe.write_text("boil")
    first = slot("base", str(recipe), "bookworm", 1)
    assert first.path.name.startswith("base-")
    assert slot("base", str(recipe), "bookworm", 1) == first
    assert slot("base", str(recipe), "trixie", 1) != first
    recipe.write_text("fry")
    assert slot("base", str(recipe), "bookworm", 1) != first
