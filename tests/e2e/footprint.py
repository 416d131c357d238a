"""What a playground leaves on a machine while it runs, and must not leave afterwards."""

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from liqo.playground import cgroups, processes
from liqo.playground.layout import PREFIX, short
from liqo.playground.processes import NAMESPACES
from liqo.playground.store import HOME


@dataclass(frozen=True)
class Footprint:
    processes: frozenset[str]  # those in a network or PID namespace other than the machine's
    namespaces: frozenset[str]
    links: frozenset[str]
    mounts: frozenset[str]
    control_groups: frozenset[str]
    tables: frozenset[str]  # of nft
    files: frozenset[str]

    def beyond(self, before: "Footprint") -> dict[str, set[str]]:
        """What is here that was not there before."""
        own, old = vars(self), vars(before)
        return {kind: own[kind] - old[kind] for kind in own if own[kind] - old[kind]}


def take(playground: str) -> Footprint:
    """What is on the machine, without what other playgrounds have there: they live on meanwhile."""
    found = Footprint(
        processes=frozenset(foreign_processes()),
        namespaces=frozenset(path.name for path in NAMESPACES.glob("*")),
        links=frozenset(link["ifname"] for link in output("ip", "-json", "link")),
        mounts=frozenset(Path("/proc/self/mounts").read_text().splitlines()),
        control_groups=frozenset(
            path
            for tree in cgroups.trees()
            for top in tree.glob(f"{PREFIX}*")
            for path, _, _ in os.walk(top)  # which minds nothing that goes meanwhile
        ),
        tables=frozenset(
            json.dumps(entry["table"], sort_keys=True)
            for entry in output("nft", "-j", "list", "tables")["nftables"]
            if "table" in entry
        ),
        files=frozenset(map(str, HOME.glob("*"))),
    )
    kept = {
        kind: frozenset(thing for thing in things if may_be_of(playground, thing))
        for kind, things in vars(found).items()
    }
    return Footprint(**kept)


async def left(playground: str, before: Footprint) -> dict[str, set[str]]:
    """Look twice: what another playground begins or ends this very moment may seem nobody's."""
    return take(playground).beyond(before)


def may_be_of(playground: str, thing: str) -> bool:
    """It carries that name, whole or shortened, or none: what is nobody's is a leak too."""
    name = re.search(rf"(?:{PREFIX}|{HOME}/)([a-z0-9-]+)", thing)
    return name is None or name[1] in (playground, short(playground))


def foreign_processes() -> list[str]:
    """Each with the network namespace of its node, which those of pods inherit a name from."""
    own = {kind: os.readlink(f"/proc/self/ns/{kind}") for kind in ("net", "pid")}
    nodes = {f"net:[{inode(path)}]": path.name for path in NAMESPACES.glob("*")}
    found = []
    for pid in processes.all_pids():
        try:
            if any(os.readlink(f"/proc/{pid}/ns/{kind}") != own[kind] for kind in own):
                name = Path(f"/proc/{pid}/comm").read_text().strip()
                found.append(f"{pid} {name} {node_of(pid, nodes)}")
        except OSError:
            continue
    return found


def inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return 0  # another playground's, gone this moment


def node_of(pid: int, nodes: dict[str, str]) -> str:
    while pid:
        node = nodes.get(os.readlink(f"/proc/{pid}/ns/net"))
        if node:
            return node
        pid = processes.parent_of(pid)
    return "of no node"


def output(*command: str) -> Any:
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return json.loads(printed)
