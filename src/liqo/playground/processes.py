"""What runs on a node, read from /proc: no list is kept, so none can be wrong."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

NAMESPACES = Path("/run/netns")
PROC = Path("/proc")


@dataclass(frozen=True)
class Process:
    """A process as its node sees it, with its id on the machine."""

    pid: int
    name: str  # of its executable
    depth: int  # PID namespaces it is in: 1 on the machine, 2 on a node, 3 in a pod
    inner_pid: int  # in the innermost of them
    state: str  # R running, S sleeping, T stopped, Z ended and not yet buried
    memory: int  # resident, in bytes

    @property
    def is_init(self) -> bool:
        """The first process of a node: everything else on the node ends with it."""
        return self.depth == 2 and self.inner_pid == 1

    @property
    def is_paused(self) -> bool:
        return self.state == "T"


def of_namespace(namespace: str) -> list[Process]:
    """Every process in that network namespace; those of pods are in namespaces of their own."""
    try:
        inode = (NAMESPACES / namespace).stat().st_ino
    except FileNotFoundError:
        return []
    return list(filter(None, map(read, pids_in(f"net:[{inode}]", "net"))))


def below(init: Process) -> list[Process]:
    """Every process of a node, those of its pods too: they descend from its first one."""
    children: dict[int, list[int]] = {}
    for pid in all_pids():
        children.setdefault(parent_of(pid), []).append(pid)
    found, todo = [], [init.pid]
    while todo:
        pid = todo.pop()
        found.append(pid)
        todo += children.get(pid, [])
    return list(filter(None, map(read, found)))


def pids_in(link: str, kind: str) -> Iterator[int]:
    for pid in all_pids():
        try:
            if os.readlink(PROC / str(pid) / "ns" / kind) == link:
                yield pid
        except OSError:
            continue  # gone meanwhile, or a zombie


def all_pids() -> Iterator[int]:
    return (int(entry) for entry in os.listdir(PROC) if entry.isdigit())


def parent_of(pid: int) -> int:
    try:
        stat = (PROC / str(pid) / "stat").read_text()
    except OSError:
        return 0
    return int(stat.rpartition(")")[2].split()[1])


def read(pid: int) -> Process | None:
    folder = PROC / str(pid)
    try:
        status = (folder / "status").read_text()
        name = Path(os.readlink(folder / "exe")).name
    except OSError:
        return None
    return parse(pid, name, status)


def parse(pid: int, name: str, status: str) -> Process:
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    inner = fields["NSpid"].split()
    return Process(
        pid=pid,
        name=name.removesuffix(" (deleted)"),  # the executable was replaced meanwhile
        depth=len(inner),
        inner_pid=int(inner[-1]),
        state=fields["State"].split()[0],
        memory=int(fields.get("VmRSS", "0 kB").split()[0]) * 1024,
    )


def exists(process: Process) -> bool:
    """Also as a zombie: while one of its threads lives, it still holds its ports."""
    return (PROC / str(process.pid)).exists()


def send(number: signal.Signals, processes: Iterable[Process]) -> None:
    for process in processes:
        try:
            os.kill(process.pid, number)
        except ProcessLookupError:
            continue
