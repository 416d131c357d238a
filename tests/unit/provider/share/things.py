"""Nodes and pods of a provider, and its caches with them: as after a list, or before."""

from __future__ import annotations

from collections.abc import Sequence

from liqo.api import labels
from liqo.api.meta import Meta
from liqo.api.sizes import (
    Claim,
    ContainerSize,
    NodeSize,
    Phase,
    PodSize,
    Schedulable,
    SizedNode,
    SizedPod,
    Sizes,
)
from liqo.kube.cache import Caches
from liqo.kube.listing import Listing
from liqo.provider.share.inventory import BOUND
from liqo.provider.watched import PHYSICAL_NODES


def a_node(
    name: str, *, version: int = 1, ready: bool = True, closed: bool = False, **amounts: str | int
) -> SizedNode:
    """`gpu` is nvidia.com/gpu."""
    room = {"nvidia.com/gpu" if key == "gpu" else key: each for key, each in amounts.items()}
    said = (Claim(type="DiskPressure", status="False"), Claim(type="Ready", status=str(ready)))
    return SizedNode(
        metadata=Meta(name=name, resource_version=str(version)),
        spec=Schedulable(unschedulable=closed),
        status=NodeSize(allocatable=room, conditions=said),
    )


def a_pod(
    name: str, cpu: str | int, *, node: str = "alpha", origin: str = "", phase: str = "Running"
) -> SizedPod:
    """With an origin: sent by that consumer."""
    sent = {labels.ORIGIN: origin, labels.MANAGED_BY: "shadowpod"} if origin else {}
    asked = ContainerSize(name="main", resources=Sizes(requests={"cpu": cpu}))
    return SizedPod(
        metadata=Meta(name=name, namespace="default", resource_version="1", labels=sent),
        spec=PodSize(node_name=node, containers=(asked,)),
        status=Phase(phase=phase),
    )


async def listed(
    here: Caches, nodes: Sequence[SizedNode] = (), pods: Sequence[SizedPod] = (), version: int = 10
) -> None:
    """What a list says is all there is: also that what was there before is gone."""
    await here.later(SizedNode, PHYSICAL_NODES).adopt(Listing(list(nodes), str(version)))
    await here.later(SizedPod, BOUND).adopt(Listing(list(pods), str(version)))
