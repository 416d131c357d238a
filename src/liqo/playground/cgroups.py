"""The control groups of a node, under version 1 (a tree per controller) or 2 (one tree)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
INHERITED = ("cpuset.cpus", "cpuset.mems")  # empty in a new v1 group, and then nothing may run


def trees(root: Path = ROOT) -> list[Path]:
    """Where groups are made: every v1 controller, or the one v2 tree."""
    if (root / "cgroup.controllers").exists():
        return [root]
    return [
        folder
        for folder in sorted(root.iterdir())
        if folder.is_dir() and not folder.is_symlink() and (folder / "cgroup.procs").exists()
    ]


def create(path: str, root: Path = ROOT) -> None:
    """Make the group, and its parents, in every tree."""
    for tree in trees(root):
        group = tree
        for part in Path(path).parts:
            delegate(group)
            group = group / part
            group.mkdir(exist_ok=True)
            for name in INHERITED:
                inherit(group, name)


def delegate(group: Path) -> None:
    """Version 2 hands a controller down only when told to."""
    control = group / "cgroup.subtree_control"
    if control.exists():
        for controller in (group / "cgroup.controllers").read_text().split():
            try:
                control.write_text(f"+{controller}")
            except OSError:
                continue  # one that this kernel does not hand down; the kubelet says if it matters


def inherit(group: Path, name: str) -> None:
    own, above = group / name, group.parent / name
    if own.exists() and above.exists() and not own.read_text().strip():
        own.write_text(above.read_text())


def remove(path: str, root: Path = ROOT) -> bool:
    """Take the group and all below it away; False while a process still dies in one of them."""
    removed = True
    for tree in trees(root):
        for group in (*deepest_first(tree / path), tree / path):
            try:
                group.rmdir()
            except FileNotFoundError:
                continue
            except OSError:
                removed = False
    return removed


def deepest_first(group: Path) -> Iterator[Path]:
    if not group.is_dir():
        return
    for child in group.iterdir():
        if child.is_dir():
            yield from deepest_first(child)
            yield child


def processes(path: str, containing: str, root: Path = ROOT) -> list[int]:
    """Ids of the processes in the groups below `path` whose name contains the text."""
    found: set[int] = set()
    for tree in trees(root):
        for group in deepest_first(tree / path):
            if containing in str(group.relative_to(tree / path)):
                found.update(map(int, (group / "cgroup.procs").read_text().split()))
    return sorted(found)
