"""What a machine lacks, told before anything is done to it."""

from pathlib import Path

import pytest

from liqo.playground.errors import PlaygroundError
from liqo.playground.machine import (
    GB,
    PACKAGES,
    ROOM_TO_BUILD,
    Machine,
    Room,
    free_bytes,
    has_word,
    install_command,
    is_here,
    is_static,
    look,
    missing_packages,
    modules_to_load,
    problems,
    raise_limits,
    room_needed,
)


def test_a_machine_that_has_everything_has_no_problem() -> None:
    assert problems(Machine()) == []


def test_missing_commands_are_no_problem_where_apt_can_install_them() -> None:
    assert problems(Machine(missing={"nft": "nftables"})) == []


@pytest.mark.parametrize(
    "machine",
    [
        Machine(missing={"nft": "nftables", "tc": "iproute2"}, has_apt=False),
        Machine(missing={"nft": "nftables", "tc": "iproute2"}, is_root=False),
    ],
)
def test_what_cannot_be_installed_is_listed_with_its_packages(machine: Machine) -> None:
    text = "\n".join(problems(machine))
    assert "nft, tc" in text
    assert "--no-install-recommends iproute2 nftables" in text


@pytest.mark.parametrize(
    ("machine", "sentence"),
    [
        (Machine(is_root=False), "run it with sudo"),
        (Machine(has_overlay=False), "modprobe overlay"),
        (Machine(has_cgroups=False), "no cgroups are mounted"),
        (Machine(room=(Room(Path("/srv"), 3 * GB, 10 * GB),)), "/srv has 3.0 GB free and 10 GB"),
    ],
)
def test_each_lack_has_its_own_sentence(machine: Machine, sentence: str) -> None:
    [problem] = problems(machine)
    assert sentence in problem


def test_on_another_system_nothing_else_matters() -> None:
    [problem] = problems(Machine(system="Darwin", is_root=False, has_overlay=False))
    assert "this is Darwin" in problem


def test_all_problems_are_told_at_once() -> None:
    machine = Machine(is_root=False, has_cgroups=False, room=(Room(Path("/"), 0, 1),))
    assert len(problems(machine)) == 3


def test_a_package_that_brings_two_commands_is_installed_once() -> None:
    assert missing_packages({"ip": "iproute2", "tc": "iproute2", "nft": "nftables"}) == [
        "iproute2",
        "nftables",
    ]


def test_recommended_packages_stay_away() -> None:
    assert "--no-install-recommends" in install_command(["runc"])


def test_a_module_is_loaded_only_by_root_and_only_when_it_is_not_there() -> None:
    assert modules_to_load(Machine()) == []
    assert modules_to_load(Machine(has_overlay=False, has_tun=False)) == ["overlay", "tun"]
    assert modules_to_load(Machine(has_overlay=False, is_root=False)) == []


def test_only_building_needs_the_room_of_a_build() -> None:
    home = Path("/srv/ada")
    assert ROOM_TO_BUILD not in room_needed({}, home, building=False).values()
    assert room_needed({"GOCACHE": "/big"}, home, building=True) == {
        Path("/srv/ada/.cache/liqo"): 2 * GB,
        Path("/big"): ROOM_TO_BUILD,
        Path("/srv/ada/go"): ROOM_TO_BUILD,
    }


def test_the_room_of_a_folder_that_is_not_there_is_that_of_its_parent(tmp_path: Path) -> None:
    assert free_bytes(tmp_path / "not" / "there") > 0


def test_what_is_looked_for_on_this_machine_is_what_has_a_package() -> None:
    machine = look()
    assert set(machine.missing) <= set(PACKAGES)
    assert machine.system == "Linux"


def test_a_command_is_found_by_name_and_by_path() -> None:
    assert is_here("sh")
    assert is_here("/bin/sh")
    assert not is_here("no-such-command")


def test_a_program_that_names_a_loader_is_not_static(tmp_path: Path) -> None:
    dynamic, static = tmp_path / "dynamic", tmp_path / "static"
    dynamic.write_bytes(b"\x7fELF" + bytes(600) + b"/lib64/ld-linux-x86-64.so.2\0" + bytes(9000))
    static.write_bytes(b"\x7fELF" + bytes(9000))
    assert not is_static(dynamic)
    assert is_static(static)


def test_a_file_system_is_known_by_its_whole_name(tmp_path: Path) -> None:
    known = tmp_path / "filesystems"
    known.write_text("nodev\tproc\nnodev\toverlayfs\n")
    assert has_word(known, {"proc"})
    assert not has_word(known, {"overlay"})
    assert not has_word(tmp_path / "missing", {"overlay"})


def test_a_limit_is_raised_and_said_but_never_lowered(tmp_path: Path) -> None:
    low, high = tmp_path / "fs" / "low", tmp_path / "fs" / "high"
    low.parent.mkdir()
    low.write_text("128\n")
    high.write_text("9000\n")
    said: list[str] = []
    raise_limits({"fs.low": 4096, "fs.high": 4096}, said.append, kernel=tmp_path)
    assert (low.read_text(), high.read_text()) == ("4096", "9000\n")
    assert len(said) == 1
    assert "fs.low from 128 to 4096" in said[0]


def test_a_limit_that_cannot_be_raised_says_who_can() -> None:
    fixed = "kernel.ngroups_max"  # the kernel lets nobody write it
    with pytest.raises(PlaygroundError, match=r"sysctl -w kernel\.ngroups_max=1000000"):
        raise_limits({fixed: 1_000_000}, lambda _: None)
