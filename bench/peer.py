"""Two fresh clusters become peers: how long, how many requests, how much CPU.

`liqoctl peer` runs as a user runs it; between two of its calls everything is taken back.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections import Counter
from dataclasses import dataclass

from bench import audit
from bench.figure import Figure, within
from bench.installed import Run, installed, liqoctl
from liqo.api.offloading import Quota, VirtualNode
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.kube.paths import EVERYTHING
from liqo.kube.waiting import until_all
from liqo.playground.cluster import Site

ROUNDS = 10
AFTERMATH = 2.0  # seconds in which controllers end what a peering began

# Requests that one peering may cost, by cluster and by whom: what was measured, and a few.
REQUESTS = {
    ("rome", "liqoctl"): 15,
    ("rome", "controllers"): 52,  # the virtual kubelet is eight objects and a certificate
    ("rome", "webhook"): 15,
    ("milan", "liqoctl"): 10,
    ("milan", "controllers"): 35,
    ("milan", "webhook"): 6,
    ("milan", "remote controllers"): 10,
}


@dataclass(frozen=True)
class Round:
    peer: Run
    unpeer: Run
    node_at: float  # seconds since 1970
    quota_at: float
    requests: Counter[tuple[str, str]]

    @property
    def node(self) -> float:
        return max(0.0, self.node_at - self.peer.returned)

    @property
    def quota(self) -> float:
        return max(0.0, self.quota_at - self.peer.returned)

    @property
    def whole(self) -> float:
        return self.peer.seconds + max(self.node, self.quota)

    def asked(self, to: str, by: str) -> float:
        return float(self.requests[to, by])


async def measure() -> list[Figure]:
    async with installed("bench-peer", ["rome", "milan"]) as (rome, milan):
        return figures([await one(rome, milan) for _ in range(ROUNDS)])


def figures(rounds: list[Round]) -> list[Figure]:
    return [
        _median("liqoctl peer", [each.peer.seconds for each in rounds], "s", 3),
        _median("liqoctl peer, and all of it is there", [each.whole for each in rounds], "s", 3),
        _median("VirtualNode, after peer returned", [each.node for each in rounds], "s", 0.5),
        _median("Quota, after peer returned", [each.quota for each in rounds], "s", 0.5),
        _median("liqoctl peer, CPU", [each.peer.cpu for each in rounds], "s", 0.75),
        *(
            _median(
                f"requests of a peering to {to}, {by}",
                [each.asked(to, by) for each in rounds],
                "",
                most,
            )
            for (to, by), most in REQUESTS.items()
        ),
        # Kubernetes itself waits five seconds before it empties a namespace.
        _median(
            "liqoctl unpeer --delete-namespaces", [each.unpeer.seconds for each in rounds], "s", 8
        ),
        _median("liqoctl unpeer, CPU", [each.unpeer.cpu for each in rounds], "s", 0.75),
    ]


def _median(name: str, values: list[float], unit: str, most: float) -> Figure:
    return within(name, statistics.median(values), unit, most)


async def one(rome: Site, milan: Site) -> Round:
    async with asyncio.TaskGroup() as group:
        node = group.create_task(appeared(rome, VirtualNode))
        quota = group.create_task(appeared(milan, Quota))
        peer = await liqoctl("peer", rome, milan, "--networking-disabled")
    await asyncio.sleep(AFTERMATH)
    requests = Counter(
        (site.cluster.name, asked.who)
        for site in (rome, milan)
        for asked in audit.asked(site, since=peer.began)
        if not asked.is_heartbeat
    )
    unpeer = await liqoctl("unpeer", rome, milan, "--delete-namespaces")
    return Round(peer, unpeer, node.result(), quota.result(), requests)


async def appeared(site: Site, kind: type[VirtualNode] | type[Quota]) -> float:
    """When the first one is seen; our own eyes are no part of the figures."""
    access = from_kubeconfig(str(site.kubeconfig))
    async with Cluster(access, agent="bench") as cluster, asyncio.timeout(60):
        await until_all(cluster, kind, EVERYTHING, bool)
        return time.time()
