"""Fresh clusters with the product in them, audited; liqoctl as a user runs it; our processes."""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from liqo.cli.playground.installing import install_all
from liqo.errors import LiqoError
from liqo.playground import node
from liqo.playground.cluster import Site
from liqo.playground.layout import Options
from liqo.playground.playground import Playground
from liqo.playground.processes import PROC, Process

LIQOCTL = str(Path(sys.executable).parent / "liqoctl")
TICKS = os.sysconf("SC_CLK_TCK")
AUDITED = Options(audit=True)

# Programs of ours, by the word in their command line that only they have.
PROGRAMS = {
    "liqo.programs.controllers": "controllers",
    "liqo.programs.webhook": "webhook",
    "liqo.programs.metrics": "metric agent",
    "/usr/bin/virtual-kubelet": "virtual kubelet",
}

# As an installed liqoctl is: compiled, at the latest by its first call.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


@asynccontextmanager
async def installed(
    playground: str,
    names: Sequence[str],
    options: Options = AUDITED,
    later: Mapping[str, Options] | None = None,
) -> AsyncIterator[list[Site]]:
    """Cluster IDs are the names. Two at a time: more would only wait for each other.

    What some get later, they have once the product runs: it needs machines that are real.
    """
    clusters = Playground(playground, lambda said: print(f"  {said}", flush=True))
    sites: list[Site] = []
    try:
        for first in range(0, len(names), 2):
            two = await clusters.up(names[first : first + 2], options)
            await install_all(two, clusters.say)
            sites += two
        for name, more in (later or {}).items():
            await clusters.up([name], more)
        yield sites
    finally:
        await clusters.down()


@dataclass(frozen=True)
class Run:
    """One call of liqoctl."""

    seconds: float
    cpu: float  # seconds
    began: float  # since 1970
    returned: float


async def liqoctl(verb: str, consumer: Site, provider: Site, *flags: str) -> Run:
    return await ran(consumer, verb, f"--remote-kubeconfig={provider.kubeconfig}", *flags)


async def ran(site: Site, *words: str) -> Run:
    command = [LIQOCTL, *words, f"--kubeconfig={site.kubeconfig}"]
    return await asyncio.to_thread(_call, command)


def _call(command: Sequence[str]) -> Run:
    before, began, start = _children_cpu(), time.time(), time.perf_counter()
    done = subprocess.run(command, check=False, env=ENVIRONMENT, capture_output=True)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise LiqoError(f"{' '.join(command)}: {done.stderr.decode()}")
    return Run(seconds, _children_cpu() - before, began, began + seconds)


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def process_of(site: Site, program: str) -> int:
    """The process that runs a program of ours in that cluster: `controllers`, `webhook`."""
    for pid, name in processes(site).items():
        if name == program:
            return pid
    raise LookupError(f"no {program} of Liqo runs in {site.cluster.name}")


def processes(site: Site) -> dict[int, str]:
    """All that run in that cluster, by the name of their program; pods and their shims included."""
    return {
        process.pid: _program(process)
        for member in site.cluster.nodes
        for process in node.all_processes(member)
    }


def _program(process: Process) -> str:
    try:
        words = (PROC / str(process.pid) / "cmdline").read_bytes().decode().split("\0")
    except OSError:
        return process.name  # ended meanwhile
    return next((PROGRAMS[word] for word in words if word in PROGRAMS), process.name)


def cpu_of(pid: int) -> float:
    """Seconds of CPU since it started; none of one that has ended."""
    try:
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident(pid: int) -> int:
    """Bytes, those that it shares with others included."""
    return int((PROC / str(pid) / "statm").read_text().split()[1]) * resource.getpagesize()
