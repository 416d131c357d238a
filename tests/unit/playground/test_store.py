"""What is written is read back, whole, and by one writer at a time."""

import asyncio
from pathlib import Path

import pytest

from liqo.playground import store
from liqo.playground.errors import PlaygroundError
from liqo.playground.layout import Layout, Options, Simulated
from tests.unit.playground.layouts import a_layout

LAYOUT = a_layout(
    rome=Options(workers=2, flags=(("etcd", "--log-level=debug"),)),
    milan=Options(simulated=Simulated(10, resources=(("nvidia.com/gpu", "8"),))),
)


def test_a_layout_is_read_back_as_it_was(tmp_path: Path) -> None:
    store.write(LAYOUT, tmp_path)
    assert store.read("on-paper", tmp_path) == LAYOUT
    assert [path.name for path in (tmp_path / "on-paper").iterdir()] == ["layout.json"]


def test_a_playground_that_was_never_made_is_not_there(tmp_path: Path) -> None:
    assert store.read("on-paper", tmp_path) is None
    assert list(store.every(tmp_path)) == []


def test_the_playgrounds_of_a_machine_are_found(tmp_path: Path) -> None:
    others = [Layout(name, "172.30.1.0/24") for name in ("b", "a")]
    for layout in others:
        store.write(layout, tmp_path)
    (tmp_path / "half-made").mkdir()
    assert [layout.name for layout in store.every(tmp_path)] == ["a", "b"]


@pytest.mark.parametrize("text", ["", "{", '{"name": 1}'])
def test_a_layout_that_cannot_be_read_says_how_to_get_rid_of_it(tmp_path: Path, text: str) -> None:
    store.write(LAYOUT, tmp_path)
    store.layout_file("on-paper", tmp_path).write_text(text)
    with pytest.raises(PlaygroundError, match="liqoctl playground down -p on-paper"):
        store.read("on-paper", tmp_path)


def test_a_cluster_has_its_folder_in_that_of_its_playground(tmp_path: Path) -> None:
    assert store.cluster_folder("on-paper", "rome", tmp_path) == tmp_path / "on-paper" / "rome"


def test_the_last_playground_takes_the_empty_folders_along(tmp_path: Path) -> None:
    home = tmp_path / "liqo" / "playgrounds"
    for name in ("a", "b"):
        store.write(Layout(name, "172.30.1.0/24"), home)
    store.remove(store.folder("a", home), home)
    assert [path.name for path in home.iterdir()] == ["b"]
    store.remove(store.folder("b", home), home)
    assert list(tmp_path.iterdir()) == []


def test_what_somebody_else_keeps_beside_the_playgrounds_stays(tmp_path: Path) -> None:
    home = tmp_path / "liqo" / "playgrounds"
    store.write(LAYOUT, home)
    (tmp_path / "liqo" / "cache").mkdir()
    store.remove(store.folder("on-paper", home), home)
    assert [path.name for path in (tmp_path / "liqo").iterdir()] == ["cache"]


def test_removing_what_is_not_there_is_no_trouble(tmp_path: Path) -> None:
    home = tmp_path / "liqo" / "playgrounds"
    store.remove(store.folder("on-paper", home), home)
    assert list(tmp_path.iterdir()) == []


def test_cuts_are_remembered_without_direction(tmp_path: Path) -> None:
    store.write(LAYOUT, tmp_path)
    assert store.cuts("on-paper", tmp_path) == frozenset()
    pairs = frozenset({frozenset({"rome", "milan"}), frozenset({"turin", "rome"})})
    store.write_cuts("on-paper", pairs, tmp_path)
    assert store.cuts("on-paper", tmp_path) == pairs


async def test_a_lock_has_one_holder(tmp_path: Path) -> None:
    async with store.locked(tmp_path):
        with pytest.raises(PlaygroundError, match="another liqoctl works on"):
            async with store.locked(tmp_path, patience=0.0):
                pass
    async with store.locked(tmp_path, patience=0.0):
        pass  # free again


async def test_a_lock_is_passed_on_to_who_waits_for_it(tmp_path: Path) -> None:
    path, order = tmp_path / "on-paper", list[str]()

    async def second() -> None:
        async with store.locked(path):
            order.append("second")

    async with asyncio.TaskGroup() as tasks, store.locked(path):
        tasks.create_task(second())
        await asyncio.sleep(0)  # it looks once, in vain
        order.append("first")
    assert order == ["first", "second"]


async def test_the_lock_of_a_folder_that_was_removed_meanwhile_is_not_the_new_ones(
    tmp_path: Path,
) -> None:
    path = tmp_path / "on-paper"
    async with store.locked(path):
        path.rmdir()
        async with store.locked(path, patience=0.0):
            assert path.is_dir()


async def test_a_lock_ends_with_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        async with store.locked(tmp_path):
            raise ZeroDivisionError
    async with store.locked(tmp_path, patience=0.0):
        pass
