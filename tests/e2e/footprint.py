"""What a playground leaves on a machine while it runs, and must not leave afterwards."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from liqo.playground import cgroups, processes
from liqo.playground.layout import PREFIX
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


def take() -> Footprint:
    return Footprint(
        processes=frozenset(foreign_processes()),
        namespaces=frozenset(path.name for path in NAMESPACES.glob("*")),
        links=frozenset(link["ifname"] for link in output("ip", "-json", "link")),
        mounts=frozenset(Path("/proc/self/mounts").read_text().splitlines()),
        control_groups=frozenset(
            str(path) for tree in cgroups.trees() for path in tree.glob(f"{PREFIX}*/**/")
        ),
        tables=frozenset(
            json.dumps(entry["table"], sort_keys=True)
            for entry in output("nft", "-j", "list", "tables")["nftables"]
            if "table" in entry
        ),
        files=frozenset(map(str, HOME.glob("*"))),
    )


def foreign_processes() -> list[str]:
    own = {kind: os.readlink(f"/proc/self/ns/{kind}") for kind in ("net", "pid")}
    found = []
    for pid in processes.all_pids():
        try:
            if any(os.readlink(f"/proc/{pid}/ns/{kind}") != own[kind] for kind in own):
                found.append(f"{pid} {Path(f'/proc/{pid}/comm').read_text().strip()}")
        except OSError:
            continue
    return found


def output(*command: str) -> Any:
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return json.loads(printed)
