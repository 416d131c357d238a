"""How a node boots, and what its logs say in the end."""

from pathlib import Path

import pytest

from liqo.playground.components import Component
from liqo.playground.errors import PlaygroundError
from liqo.playground.node import (
    all_processes,
    boot_script,
    first_process,
    inside,
    last_words,
    running,
    write_files,
)
from tests.golden import assert_golden
from tests.unit.playground.layouts import GOLDEN, a_cluster

NODE = a_cluster().control_plane


def log(folder: Path, *lines: str) -> Path:
    (folder / "logs").mkdir()
    (folder / "logs" / "kubelet.log").write_text("".join(f"{line}\n" for line in lines))
    return folder


def test_a_node_boots_into_mounts_and_a_name_of_its_own() -> None:
    script = boot_script(NODE, Path("/var/lib/liqo/play grounds/0"))
    assert_golden(script, GOLDEN / "boot.sh")


def test_the_files_of_a_component_go_below_the_nodes_folder(tmp_path: Path) -> None:
    write_files(tmp_path, Component("etcd", (), {"a.yaml": "a\n", "deep/b.yaml": "b\n"}))
    assert (tmp_path / "a.yaml").read_text() == "a\n"
    assert (tmp_path / "deep" / "b.yaml").read_text() == "b\n"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ((), "it left no word"),
        (("starting", "ready", "stopping"), "stopping"),
        (("starting", "Error: no CPU ", "usage: kubelet"), "Error: no CPU"),
        (("error: first", "F1115 12:00 fatal: second", "bye"), "F1115 12:00 fatal: second"),
        (("panic: nil map", "goroutine 1", "main.go:1"), "panic: nil map"),
        (("flag provided but not defined: -v", "Usage:", ""), "flag provided but not defined: -v"),
        (("it was", "", "  "), "it was"),
    ],
)
def test_the_last_words_are_those_that_say_why(
    tmp_path: Path, lines: tuple[str, ...], words: str
) -> None:
    assert last_words(log(tmp_path, *lines), "kubelet") == words


def test_a_component_that_never_wrote_a_log_left_no_word(tmp_path: Path) -> None:
    assert last_words(tmp_path, "etcd") == "it left no word"


async def test_on_a_node_that_was_never_made_nothing_runs() -> None:
    assert first_process(NODE) is None
    assert running(NODE) == {}
    assert all_processes(NODE) == []
    with pytest.raises(
        PlaygroundError, match=r'"venice" is not running; start it with: .* start venice node'
    ):
        await inside(NODE, "true")
