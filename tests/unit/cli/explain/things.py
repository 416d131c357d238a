"""The virtual node milan of rome, the slice that it is made of, and its pods."""

from __future__ import annotations

from typing import Any

from liqo.api import labels
from liqo.api.authentication import (
    Answer,
    ResourceSlice,
    ResourceSliceCondition,
    ResourceSliceSpec,
    ResourceSliceStatus,
)
from liqo.api.meta import Key, Meta
from liqo.api.offloading import VirtualNode, VirtualNodeSpec
from liqo.api.sizes import ContainerSize, Phase, PodSize, SizedPod, Sizes
from liqo.api.values import ResourceList, ResourceQuota
from liqo.cli.objects import NodeWish, Share, virtual_node

HOME = "liqo-tenant-milan"
SUMS = """\
cpu 45 = floor(0.9 × (100 − 50))
nvidia.com/gpu 0 = floor(0.9 × 1): use at-least-one
largest pod on one of 4 nodes: cpu 25, nvidia.com/gpu 0
free by node: cpu 25 10 10 5, nvidia.com/gpu 1"""
SHARED: ResourceList = {"cpu": "45", "nvidia.com/gpu": "0"}


def a_node(hard: ResourceList, made_of: str = "milan", name: str = "milan") -> VirtualNode:
    marks = {labels.RESOURCE_SLICE_NAME: made_of} if made_of else {}
    return VirtualNode(
        metadata=Meta(name=name, namespace=HOME, labels=marks),
        spec=VirtualNodeSpec(cluster_id="milan", resource_quota=ResourceQuota(hard=hard)),
    )


def by_hand(hard: ResourceList, name: str = "milan-2") -> VirtualNode:
    """As `liqoctl create virtualnode --resource-slice-name=milan` makes it."""
    share = Share("kubeconfig-resourceslice-milan", hard)
    return virtual_node(Key(HOME, name), "milan", share, NodeWish())


def a_slice(
    granted: ResourceList, message: str = SUMS, answer: Answer = "Accepted", **spec: Any
) -> ResourceSlice:
    said = ResourceSliceCondition(type="Resources", status=answer, message=message)
    return ResourceSlice(
        metadata=Meta(name="milan", namespace=HOME),
        spec=ResourceSliceSpec(**{"class_": "share", **spec}),
        status=ResourceSliceStatus(conditions=(said,), resources=granted),
    )


def a_pod(
    name: str, cpu: str, minute: int = 0, phase: str = "Running", node: str = "milan"
) -> SizedPod:
    made = f"2026-11-15T10:{minute:02}:00Z"
    container = ContainerSize(name="web", resources=Sizes(requests={"cpu": cpu}))
    return SizedPod(
        metadata=Meta(name=name, namespace="shop", creation_timestamp=made),
        spec=PodSize(node_name=node, containers=(container,)),
        status=Phase(phase=phase),
    )
