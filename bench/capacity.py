"""What shares cost: CPU for a pod that comes or goes, beyond that of the cache; and for an offer.

No cluster is asked: the changes of pods are given to the caches of a provider as a watch would,
once with a supply that follows them for some consumers, once without. That is done for a provider
of a usual size and for a large one; CAPACITY_NODES and CAPACITY_PODS say another one instead.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from bench.figure import Figure, within
from liqo.api import labels
from liqo.api.authentication import ResourceSlice, ResourceSliceSpec
from liqo.api.meta import Key, Meta
from liqo.api.sizes import (
    Claim,
    ContainerSize,
    NodeSize,
    Phase,
    PodSize,
    SizedNode,
    SizedPod,
    Sizes,
)
from liqo.kube.access import Access
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.listing import Listing
from liqo.provider.grant import Offered
from liqo.provider.share.inventory import BOUND
from liqo.provider.share.supply import Supply
from liqo.provider.watched import PHYSICAL_NODES
from liqo.rules.capacity import Sharing
from liqo.runtime.value import Value

NODES, PODS = "CAPACITY_NODES", "CAPACITY_PODS"
CONSUMERS = 5
BUDGET = 100.0  # µs
OFFER = 20  # times


@dataclass(frozen=True)
class Size:
    nodes: int
    pods: int


@dataclass(frozen=True)
class Traffic:
    """Pods that come and go."""

    events: int
    rate: int  # in a second
    version: int  # of the first one: later than all before


# More than any provider has seen: what comes together is offered once. And ten minutes in which
# every change is looked at, and offered when it has lasted.
RUSH, TRICKLE = Traffic(10_000, 1_000, 10), Traffic(1_200, 2, 20_000)

USUAL, LARGE = Size(100, 2_000), Size(1_000, 20_000)


def sizes(told: Mapping[str, str]) -> tuple[Size, ...]:
    if not told.keys() & {NODES, PODS}:
        return USUAL, LARGE
    return (Size(int(told.get(NODES, USUAL.nodes)), int(told.get(PODS, USUAL.pods))),)


async def measure() -> list[Figure]:
    return [figure for size in sizes(os.environ) for figure in await measured(size)]


async def measured(size: Size) -> list[Figure]:
    followed, supply = await a_provider(size, shares=True)
    alone, _ = await a_provider(size, shares=False)

    def cost(traffic: Traffic) -> float:
        """Of one of them, in µs."""
        more = changed(size, traffic, followed, supply) - changed(size, traffic, alone, None)
        return more / traffic.events * 1e6

    what = f"{size.nodes} nodes"
    return [
        within(f"share: CPU per pod event, {what}", cost(RUSH), "µs", BUDGET),
        within(f"share: CPU per pod event, {what}, two a second", cost(TRICKLE), "µs", BUDGET),
        Figure(f"share: CPU per offer, {what}", offered(followed, supply) * 1e3, "ms"),
    ]


class Market:
    """A supply, whoever asks it, and a stopwatch that goes as fast as pods come."""

    def __init__(self, here: Caches) -> None:
        self.now = 0.0
        self.sharing = Value(Sharing())
        self.supply = Supply(here, self.sharing, lambda: self.now)
        self.slices = {each.key: each for each in here.of(ResourceSlice).values()}
        self.offers: dict[Key, Offered] = {}
        self.waiting: set[Key] = set()
        self.supply.subscribe(lambda _, key: self.waiting.add(key) if key else None)

    def look(self) -> None:
        """As the controller of quotas does, twice a second, while anything is to be waited for."""
        for key, asked in self.slices.items():
            if key in self.waiting:
                seen = self.supply.prospect(asked, self.offers.get(key))
                if seen.offered is not None:
                    self.offers[key] = seen.offered
                if seen.wait is None:
                    self.waiting.discard(key)


async def a_provider(size: Size, *, shares: bool) -> tuple[Caches, Market | None]:
    here = Caches(Cluster(Access("https://milan.invalid")))
    slices = [a_slice(f"consumer-{number}") for number in range(CONSUMERS)] if shares else []
    await here.of(ResourceSlice).adopt(Listing(slices, "1"))
    market = Market(here) if shares else None
    if market is not None:
        market.look()
    nodes = [a_node(number) for number in range(size.nodes)]
    await here.later(SizedNode, PHYSICAL_NODES).adopt(Listing(nodes, "1"))
    pods = [a_pod(size, number, number) for number in range(size.pods)]
    await here.later(SizedPod, BOUND).adopt(Listing(pods, "1"))
    if market is not None:
        market.look()
    return here, market


def changed(size: Size, traffic: Traffic, here: Caches, market: Market | None) -> float:
    """Seconds of CPU for all of them."""
    pods = here.later(SizedPod, BOUND)
    coming_and_going = list(events(size, traffic))
    began = time.process_time()
    for number, pod in enumerate(coming_and_going):
        pods.take(pod)
        if market is not None and number % (traffic.rate // 2) == 0:
            market.now += 0.5
            market.look()
    return time.process_time() - began


def offered(here: Caches, market: Market | None) -> float:
    """Seconds of CPU for one."""
    assert market is not None
    began = time.process_time()
    for number in range(OFFER):
        market.sharing.become(Sharing(50 + number))
        market.look()
    return (time.process_time() - began) / OFFER / CONSUMERS


def events(size: Size, traffic: Traffic) -> Iterator[SizedPod]:
    """A pod ends, and starts anew on another node."""
    for number in range(traffic.events):
        pod = a_pod(
            size, number // 2 % size.pods, number * 7, "Running" if number % 2 else "Succeeded"
        )
        yield replace(
            pod, metadata=replace(pod.metadata, resource_version=str(traffic.version + number))
        )


def a_slice(consumer: str) -> ResourceSlice:
    marks = {labels.REPLICATED: "true", labels.ORIGIN_ID: consumer}
    metadata = Meta(name="milan", namespace=f"liqo-tenant-{consumer}", labels=marks)
    spec = ResourceSliceSpec(class_="share", consumer_cluster_id=consumer)
    return ResourceSlice(metadata=metadata, spec=spec)


def a_node(number: int) -> SizedNode:
    room = {"cpu": "32", "memory": "128Gi", "pods": "110", "ephemeral-storage": "500Gi"}
    pages = {"hugepages-1Gi": "0", "hugepages-2Mi": "0", "nvidia.com/gpu": "4"}
    ready = (Claim(type="Ready", status="True"),)
    return SizedNode(
        metadata=Meta(name=f"node-{number}"),
        status=NodeSize(allocatable={**room, **pages}, conditions=ready),
    )


def a_pod(size: Size, number: int, where: int, phase: str = "Running") -> SizedPod:
    """Every second one was sent by a consumer."""
    origin = f"consumer-{number % CONSUMERS}"
    sent = {labels.ORIGIN: origin, labels.MANAGED_BY: "shadowpod"} if number % 2 else {}
    asks = Sizes(requests={"cpu": f"{100 + number % 9}m", "memory": "256Mi"})
    return SizedPod(
        metadata=Meta(name=f"pod-{number}", namespace="default", labels=sent),
        spec=PodSize(
            node_name=f"node-{where % size.nodes}",
            containers=(ContainerSize(name="main", resources=asks),) * 2,
        ),
        status=Phase(phase=phase),
    )
