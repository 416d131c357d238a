"""Both versions of control groups, in a folder that only looks like them."""

from pathlib import Path

import pytest

from liqo.playground.cgroups import create, deepest_first, processes, remove, trees

NODE = "lqp-default/venice.0"


@pytest.fixture
def version_1(tmp_path: Path) -> Path:
    """A tree per controller, and what else is found beside them."""
    for controller in ("cpu,cpuacct", "cpuset", "memory"):
        (tmp_path / controller).mkdir()
        (tmp_path / controller / "cgroup.procs").touch()
    (tmp_path / "cpu").symlink_to("cpu,cpuacct")
    (tmp_path / "not-a-tree").mkdir()
    (tmp_path / "cpuset" / "cpuset.cpus").write_text("0-7\n")
    return tmp_path


@pytest.fixture
def version_2(tmp_path: Path) -> Path:
    (tmp_path / "cgroup.controllers").write_text("cpu memory\n")
    (tmp_path / "cgroup.subtree_control").touch()
    return tmp_path


def put(group: Path, *pids: int) -> None:
    group.mkdir(parents=True)
    (group / "cgroup.procs").write_text("".join(f"{pid}\n" for pid in pids))


def test_version_1_has_a_tree_per_controller(version_1: Path) -> None:
    assert [tree.name for tree in trees(version_1)] == ["cpu,cpuacct", "cpuset", "memory"]


def test_version_2_has_one_tree(version_2: Path) -> None:
    assert trees(version_2) == [version_2]


def test_a_group_is_made_in_every_tree_with_its_parents(version_1: Path) -> None:
    create(NODE, version_1)
    create(NODE, version_1)  # and again, on what is there
    assert all((tree / NODE).is_dir() for tree in trees(version_1))


def test_a_group_may_use_the_processors_that_its_parent_may(version_1: Path) -> None:
    group = version_1 / "cpuset" / NODE
    group.mkdir(parents=True)
    (group.parent / "cpuset.cpus").touch()  # as the kernel makes them: empty
    (group / "cpuset.cpus").touch()
    create(NODE, version_1)
    assert (group.parent / "cpuset.cpus").read_text() == "0-7\n"
    assert (group / "cpuset.cpus").read_text() == "0-7\n"


def test_a_group_that_was_given_processors_keeps_them(version_1: Path) -> None:
    group = version_1 / "cpuset" / "lqp-default"
    group.mkdir()
    (group / "cpuset.cpus").write_text("3\n")
    create(NODE, version_1)
    assert (group / "cpuset.cpus").read_text() == "3\n"


def test_version_2_is_told_to_hand_its_controllers_down(version_2: Path) -> None:
    create(NODE, version_2)
    assert (version_2 / NODE).is_dir()
    assert (version_2 / "cgroup.subtree_control").read_text() == "+memory"  # the last one told


def test_a_group_goes_with_all_below_it(version_2: Path) -> None:
    (version_2 / NODE / "kubepods" / "pod1" / "container").mkdir(parents=True)
    assert remove(NODE, version_2)
    assert not (version_2 / NODE).exists()
    assert (version_2 / "lqp-default").exists()
    assert remove(NODE, version_2)  # what is gone is gone


def test_a_group_in_use_is_not_gone(version_2: Path) -> None:
    busy = version_2 / NODE / "kubepods" / "pod1"
    put(busy, 4711)  # a file makes this folder as hard to remove as a process makes a group
    (version_2 / NODE / "kubepods" / "pod2").mkdir()
    assert not remove(NODE, version_2)
    assert list(deepest_first(version_2 / NODE)) == [busy, busy.parent]


def test_the_processes_of_a_pod_are_those_in_the_groups_with_its_id(version_1: Path) -> None:
    for tree in (version_1 / "memory", version_1 / "cpuset"):
        put(tree / NODE / "kubepods" / "pod-1234" / "a", 12, 7)
        put(tree / NODE / "kubepods" / "pod-1234" / "b", 30)
        put(tree / NODE / "kubepods" / "pod-5678" / "a", 99)
    (version_1 / "memory" / NODE / "kubepods" / "pod-1234" / "cgroup.procs").touch()
    (version_1 / "cpuset" / NODE / "kubepods" / "pod-1234" / "cgroup.procs").touch()
    assert processes(NODE, "1234", version_1) == [7, 12, 30]
    assert processes(NODE, "0000", version_1) == []
