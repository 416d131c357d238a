"""An estate: any number of simulated nodes of Milan's with pods on them, and what a share of it is.

That is added up here anew each time and as plainly as it can be: what it is compared with is kept
up by changes.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from liqo.api.kubernetes import Node, Pod
from liqo.api.meta import Key
from liqo.kube.cluster import Cluster
from liqo.rules.capacity import MILLI
from liqo.rules.quantity import NANO, parse
from tests.e2e.capacity.market import CPU, Market, a_node, a_pod
from tests.e2e.crowds import at_once
from tests.e2e.eventually import eventually
from tests.e2e.offloaded import read

CORES, PLACES = 32, 100  # of every node
PERCENTAGE = 90
LARGEST = "offloading.liqo.io/largest-pod"
PER_SECOND = 20  # pods, or nodes, that a crowded machine manages; an idle one ten times as many


class Amounts(NamedTuple):
    """Of CPU in thousandths of a core."""

    cpu: int
    pods: int
    largest: int  # CPU that one pod may ask for


class Placed(NamedTuple):
    node: str
    cpu: int


@dataclass
class Estate:
    market: Market
    milan: Cluster
    namespace: str
    nodes: dict[str, bool] = field(default_factory=dict)  # whether it takes pods
    pods: dict[str, Placed] = field(default_factory=dict)

    async def build(self, count: int) -> None:
        names = [f"estate-{number:04}" for number in range(count)]
        self.nodes |= dict.fromkeys(names, True)
        room = {CPU: str(CORES), "pods": str(PLACES)}

        async def create(name: str) -> None:
            await self.milan.create(a_node(name, room), kind=Node.KIND, answer="metadata")

        await at_once(create, names)

    async def fill(self, count: int) -> None:
        """With pods of many sizes: for twenty of them a node may or may not have room."""
        nodes = list(self.nodes)
        for number in range(count):
            placed = Placed(nodes[number % len(nodes)], 100 * (1 + number % 31))
            self.pods[f"pod-{number:05}"] = placed
        await at_once(self._start, list(self.pods))

    async def move(self) -> None:
        """A pod, to where there is room for it: all sums stay, and the largest pod gets larger."""
        before, free = self.amounts(), self.free()
        first, second = sorted(free, key=lambda node: free[node], reverse=True)[:2]
        name = min(self.pods_on({first}), key=lambda each: self.pods[each].cpu)
        size = self.pods[name].cpu
        await self.end([name])
        self.pods["moved"] = Placed(second, size)
        await self._start("moved")
        assert self.amounts() == before._replace(largest=before.largest + size)

    async def close(self, nodes: Collection[str], *, closed: bool = True) -> None:
        async def patch(name: str) -> None:
            body = {"spec": {"unschedulable": closed}}
            await self.milan.patch(Node.KIND, Key("", name), body, how="merge", answer="metadata")

        self.nodes |= dict.fromkeys(nodes, not closed)
        await at_once(patch, list(nodes))

    async def end(self, pods: Collection[str]) -> None:
        async def delete(name: str) -> None:
            await self.milan.delete(Pod.KIND, Key(self.namespace, name), grace=0)

        await at_once(delete, list(pods))
        for name in pods:
            del self.pods[name]

    async def raze(self, nodes: Collection[str]) -> None:
        """And all that is on them."""

        async def delete(name: str) -> None:
            await self.milan.delete(Node.KIND, Key("", name))

        await self.end(self.pods_on(nodes))
        await at_once(delete, list(nodes))
        for name in nodes:
            del self.nodes[name]

    def pods_on(self, nodes: Collection[str]) -> list[str]:
        return [name for name, placed in self.pods.items() if placed.node in nodes]

    def free(self) -> dict[str, int]:
        """CPU of the nodes that take pods; never less than none."""
        left = {name: CORES * 1000 for name, is_open in self.nodes.items() if is_open}
        for node, cpu in self.pods.values():
            if node in left:
                left[node] -= cpu
        return {node: max(0, cpu) for node, cpu in left.items()}

    def amounts(self) -> Amounts:
        """What Rome should be told."""
        free = self.free()
        places = PLACES * len(free) - len(self.pods_on(free))
        cpu, pods = (each * PERCENTAGE // 100 for each in (sum(free.values()), places))
        return Amounts(cpu, pods, min(cpu, max(free.values())))

    async def shown(self) -> Amounts:
        """What Rome is told."""
        node = await read(self.market.rome, "node/milan")
        room = node["status"]["allocatable"]
        note = node["metadata"]["annotations"].get(LARGEST, "cpu=0")
        largest = dict(pair.split("=") for pair in note.split(","))
        cpu, most = (parse(each).nano // MILLI for each in (room[CPU], largest[CPU]))
        return Amounts(cpu, parse(room["pods"]).nano // NANO, most)

    async def is_told(self) -> None:
        within = 60 + (len(self.nodes) + len(self.pods)) / PER_SECOND
        await eventually(self.shown, is_=self.amounts(), within=within)

    async def _start(self, name: str) -> None:
        node, cpu = self.pods[name]
        spec = {"nodeName": node, "automountServiceAccountToken": False}
        pod = a_pod(name, self.namespace, f"{cpu}m", **spec)
        await self.milan.create(pod, kind=Pod.KIND, namespace=self.namespace, answer="metadata")
