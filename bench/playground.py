"""Three clusters from nothing: how long, how much memory, how long to be gone again."""

import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from bench.figure import Figure, within
from liqo.cli.playground.clusters import TUTORIAL
from liqo.playground import node
from liqo.playground.cluster import Site
from liqo.playground.layout import Options
from liqo.playground.playground import Playground

GB = 10**9


async def measure() -> list[Figure]:
    playground = Playground("bench-playground")
    await playground.supplies(Options())  # binaries and images are there before the clock starts
    try:
        start = time.monotonic()
        sites = await playground.up(TUTORIAL, Options())
        ready = time.monotonic()
        await playground.up(TUTORIAL, Options())
        again = time.monotonic()
        memory = sum(resident(sites)) / GB
        before_down = time.monotonic()
    finally:
        await playground.down()
    down = time.monotonic()
    return [
        within("three clusters, from nothing to Ready", ready - start, "s", 60),
        within("three clusters, up again", again - ready, "s", 3),
        within("three clusters, resident (shared pages once)", memory, "GB", 2.5),
        within("three clusters, down", down - before_down, "s", 15),
        within("liqoctl --help, CPU", help_cpu() * 1000, "ms", 150),
    ]


def resident(sites: list[Site]) -> Iterator[int]:
    """Proportional set sizes: a page that three API servers share is one page of memory."""
    for site in sites:
        for member in site.cluster.nodes:
            for process in node.all_processes(member):
                yield proportional(process.pid)


def proportional(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0  # ended meanwhile
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def help_cpu(rounds: int = 5) -> float:
    """Seconds of CPU, the best of some calls: the first one reads files."""
    liqoctl = str(Path(sys.executable).parent / "liqoctl")
    return min(one_call(liqoctl) for _ in range(rounds))


def one_call(liqoctl: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([liqoctl, "--help"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
