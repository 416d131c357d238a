"""Rome borrows from Milan, whose machines are simulated: what benchmarks of pods stand on.

A simulated machine starts a pod at once, so that no container hides what we cost.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from msgspec import to_builtins

from bench.installed import cpu_of, installed, liqoctl, processes
from liqo.api import labels
from liqo.api.kubernetes import Node
from liqo.api.meta import JSON, Key, Meta
from liqo.api.offloading import NamespaceMap, NamespaceOffloading, NamespaceOffloadingSpec
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.kube.waiting import until
from liqo.playground.cluster import Site
from liqo.playground.layout import Options, Simulated
from liqo.rules import names, offloading
from liqo.rules.readiness import is_ready

CITIES = ("rome", "milan")
MACHINES = 4
SIZE = ("--cpu=10000", "--memory=10000Gi", "--pods=10000")  # more than any benchmark fills
PATIENCE = 60.0  # seconds
MAP = Key(names.tenant_namespace("milan"), "milan")
LEAST = 1e-4  # seconds of CPU for a pod that are worth a line
OURS = frozenset({"controllers", "webhook", "metric agent", "virtual kubelet"})

VIRTUAL: JSON = {
    "nodeSelector": {labels.TYPE: "virtual-node"},
    "tolerations": [{"key": labels.NOT_ALLOWED_TAINT, "operator": "Exists"}],
}
SIMULATED: JSON = {"nodeSelector": {"type": "kwok"}}


@dataclass(frozen=True)
class Loan:
    rome: Site
    milan: Site
    home: Cluster  # rome, as a user asks it
    abroad: Cluster  # milan

    @property
    def sites(self) -> tuple[Site, Site]:
        return self.rome, self.milan


@asynccontextmanager
async def borrowed(playground: str, *, audit: bool = False) -> AsyncIterator[Loan]:
    async with lending(playground, audit=audit) as (rome, milan):
        await peer(rome, milan)
        async with user(rome) as home, user(milan) as abroad:
            await ready(home)
            yield Loan(rome, milan, home, abroad)


@asynccontextmanager
async def lending(playground: str, *, audit: bool = False) -> AsyncIterator[list[Site]]:
    """Both, before they know each other."""
    options = Options(audit=audit)
    machines = {"milan": replace(options, simulated=Simulated(MACHINES))}
    async with installed(playground, CITIES, options, machines) as (rome, milan):
        await milan.kubectl("cordon", "milan")  # its only machine that is real
        yield [rome, milan]


def user(site: Site) -> Cluster:
    return Cluster(from_kubeconfig(str(site.kubeconfig)), name=site.cluster.name, agent="bench")


async def peer(rome: Site, milan: Site) -> None:
    await liqoctl("peer", rome, milan, "--networking-disabled", *SIZE)


async def ready(home: Cluster) -> None:
    async with asyncio.timeout(PATIENCE):
        await until(home, Node, Key("", "milan"), is_ready)


async def extend(loan: Loan, namespace: str) -> str:
    """A namespace of both, whose pods go out; gives back what it is called there."""
    there = f"{namespace}-rome"
    await loan.rome.kubectl("create", "namespace", namespace)
    wanted = NamespaceOffloading(
        metadata=Meta(name=offloading.NAME, namespace=namespace), spec=NamespaceOffloadingSpec()
    )
    kind = wanted.KIND
    body: JSON = {"apiVersion": kind.api_version, "kind": kind.name, **to_builtins(wanted)}
    await loan.home.create(body, kind=kind, namespace=namespace)

    def is_there(found: NamespaceMap) -> bool:
        answer = found.status.current_mapping.get(namespace)
        return answer is not None and answer.phase == "Accepted"

    async with asyncio.timeout(PATIENCE):
        await until(loan.home, NamespaceMap, MAP, is_there)
    return there


@dataclass(frozen=True)
class Spent:
    """Seconds of CPU, by cluster and program."""

    seconds: dict[tuple[str, str], float]

    def since(self, before: Spent) -> Spent:
        return Spent(
            {who: after - before.seconds.get(who, 0.0) for who, after in self.seconds.items()}
        )

    def total(self) -> float:
        return sum(self.seconds.values())

    def of_ours(self) -> float:
        return sum(map(self.of_program, OURS))

    def of_program(self, wanted: str) -> float:
        return sum(each for (_, program), each in self.seconds.items() if program == wanted)

    def lines(self, pods: int) -> Iterator[str]:
        """Milliseconds for one pod, the largest first."""
        for (cluster, program), each in sorted(self.seconds.items(), key=lambda item: -item[1]):
            if each / pods >= LEAST:
                yield f"{each / pods * 1e3:6.1f} ms  {program} of {cluster}"


def spent(loan: Loan) -> Spent:
    """Since they started."""
    found: dict[tuple[str, str], float] = {}
    for site in loan.sites:
        for pid, program in processes(site).items():
            who = site.cluster.name, program
            found[who] = found.get(who, 0.0) + cpu_of(pid)
    return Spent(found)
