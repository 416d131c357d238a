"""Much that is said by a pod that runs elsewhere, and many that listen: rates, CPU, memory.

Rates are compared with those of the same pod directly on the provider, in turns: everything shares
the machine, and what an API server at home does twice counts against us as well.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from bench.figure import Figure, at_least
from bench.guest import NAME, Guest, Way, hosted
from bench.installed import cpu_of, process_of, resident
from liqo.api.kubernetes import Pod
from liqo.api.meta import Key
from liqo.errors import LiqoError
from liqo.kube.paths import instance

MEGABYTES = int(os.environ.get("MEGABYTES", "100"))  # fewer while developing
ROUNDS = int(os.environ.get("ROUNDS", "5"))
MANY = 50  # of each sort at once
SHARE = 0.45  # of the direct rate
PATIENCE = 120.0  # seconds until all of them are heard

# Lines of a thousand letters, of which no two are alike. Files lie in memory, as far as one can.
TALK = f"head -c {MEGABYTES * 750_000} /dev/urandom | base64 -w 999"
SCRIPT = f"{TALK}; head -c {MEGABYTES}000000 /dev/urandom > /tmp/much"
SAYING = {"command": ["sh", "-c", "echo hello; exec cat"], "stdin": "true", "stdout": "true"}
WEBSOCKET = (
    ("Sec-WebSocket-Version", "13"),
    ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
    ("Sec-WebSocket-Protocol", "v5.channel.k8s.io"),
)


@dataclass(frozen=True)
class Carried:
    """Much, once, by one way."""

    rate: float  # MB per second
    cpu: float  # ms of the kubelet for a MB
    digest: str


@dataclass
class Sort:
    """One sort of stream, in turns directly and through us."""

    directly: list[Carried] = field(default_factory=list)
    through: list[Carried] = field(default_factory=list)


Carry = Callable[[Way, Path], Awaitable[Path]]  # gives back the file that arrived


async def measure() -> list[Figure]:
    async with hosted("bench-streams", SCRIPT) as guest:
        with TemporaryDirectory() as folder:
            found = await carried(guest, Path(folder))
        return [*rates(found), *await crowd(guest)]


async def carried(guest: Guest, folder: Path) -> dict[str, Sort]:
    kubelet = process_of(guest.loan.rome, "virtual kubelet")
    found = {name: Sort() for name in SORTS}
    for _ in range(ROUNDS):
        for name, carry in SORTS.items():
            for way, ended in (
                (guest.directly, found[name].directly),
                (guest.through, found[name].through),
            ):
                ended.append(await timed(partial(carry, way), folder, kubelet))
                print(f"    {name}, {way.name}: {ended[-1].rate:.1f} MB/s", flush=True)
    return found


async def timed(carry: Callable[[Path], Awaitable[Path]], folder: Path, kubelet: int) -> Carried:
    before, began = cpu_of(kubelet), time.perf_counter()
    arrived = await carry(folder)
    took = time.perf_counter() - began
    spent = cpu_of(kubelet) - before
    size = arrived.stat().st_size
    if size < MEGABYTES * 1_000_000:
        raise LiqoError(f"only {size} bytes arrived")
    digest = hashlib.sha256(arrived.read_bytes()).hexdigest()
    return Carried(MEGABYTES / took, spent / MEGABYTES * 1e3, digest)


async def logs(way: Way, folder: Path) -> Path:
    await way.kubectl("logs", NAME, into=folder / "log")
    return folder / "log"


async def copy_from(way: Way, folder: Path) -> Path:
    (folder / "copy").unlink(missing_ok=True)
    await way.kubectl("cp", f"{NAME}:/tmp/much", str(folder / "copy"))
    return folder / "copy"


async def copy_to(way: Way, folder: Path) -> Path:
    """What arrived there, it says itself."""
    await way.kubectl("cp", str(folder / "copy"), f"{NAME}:/tmp/copied")
    await way.kubectl("exec", NAME, "--", "cmp", "/tmp/much", "/tmp/copied")
    return folder / "copy"


SORTS: dict[str, Carry] = {"logs": logs, "cp from it": copy_from, "cp to it": copy_to}


def rates(found: dict[str, Sort]) -> list[Figure]:
    figures = []
    for name, sort in found.items():
        if len({each.digest for each in (*sort.directly, *sort.through)}) != 1:
            raise LiqoError(f"{name}: not the same bytes each time")
        pairs = zip(sort.directly, sort.through, strict=True)
        share = statistics.median(through.rate / directly.rate for directly, through in pairs)
        rate = statistics.median(each.rate for each in sort.directly)
        cpu = statistics.median(each.cpu for each in sort.through)
        what = f"{name}, {MEGABYTES} MB"
        figures += [
            Figure(f"{what}, directly on the provider", rate, "MB/s"),
            at_least(f"{what}, through us / directly", share, "times", SHARE),
            Figure(f"{what}, CPU of the kubelet", cpu, "ms/MB"),
        ]
    return figures


async def crowd(guest: Guest) -> list[Figure]:
    kubelet = process_of(guest.loan.rome, "virtual kubelet")
    before = resident(kubelet)
    async with AsyncExitStack() as all_of_them:
        async with asyncio.timeout(PATIENCE):
            for _ in range(MANY):
                await all_of_them.enter_async_context(executing(guest.through))
                await all_of_them.enter_async_context(following(guest.through))
        held = resident(kubelet) - before
    name = f"{MANY} execs and {MANY} followers of logs at once"
    return [Figure(f"{name}, memory of the kubelet for each", held / 2 / MANY / 1e3, "kB")]


@asynccontextmanager
async def executing(way: Way) -> AsyncIterator[None]:
    """A command that has said something, and waits to be told something."""
    path = f"{address(way, 'exec')}?{urlencode(SAYING, doseq=True)}"
    upgraded = await way.cluster.upgrade(
        path, protocol="websocket", headers=WEBSOCKET, method="GET"
    )
    try:
        await upgraded.reader.readuntil(b"hello")
        yield
    finally:
        upgraded.writer.close()


@asynccontextmanager
async def following(way: Way) -> AsyncIterator[None]:
    """A log of which the last line has come, and the next one has not."""
    path = f"{address(way, 'log')}?{urlencode({'follow': 'true', 'tailLines': '1'})}"
    async with way.cluster.stream(path, silence=0) as chunks:
        await anext(chunks)
        yield


def address(way: Way, subresource: str) -> str:
    return instance(Pod.KIND, Key(way.namespace, NAME), subresource)
