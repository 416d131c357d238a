"""The virtual node milan, as its kubelet sees it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from liqo.api import labels
from liqo.api.kubernetes import Node
from liqo.api.meta import JSON, Meta
from liqo.api.offloading import VirtualNode, VirtualNodeSpec
from liqo.api.values import ResourceQuota
from liqo.kube.access import Access
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kubelet.node import face as faces
from liqo.kubelet.node import taints
from liqo.kubelet.node.face import Face, Network
from liqo.kubelet.node.health import Health

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
NAMESPACE = "liqo-tenant-milan"
FACE = Face("milan", "milan", "10.71.0.7", 10250, "v1.35.4")
WELL = Health("milan")
OFFERED: dict[str, str | int] = {"cpu": "4", "memory": "8Gi", "pods": "110"}


def raw(content: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(content))


def a_virtual_node(**spec: Any) -> VirtualNode:
    said = {
        "cluster_id": "milan",
        "resource_quota": ResourceQuota(hard=OFFERED),
        "labels": {labels.REMOTE_CLUSTER_ID: "milan", "region": "B"},
        **spec,
    }
    return VirtualNode(
        metadata=Meta(name="milan", namespace=NAMESPACE, uid="vn-1", resource_version="1"),
        spec=VirtualNodeSpec(**said),
    )


def a_node(status: JSON | None = None, spec: JSON | None = None, **metadata: Any) -> Node:
    """As the kubelet left it a moment ago."""
    wanted = a_virtual_node()
    told = faces.conditions(wanted, WELL, Network(), NOW, [])
    said = {"name": "milan", "uid": "n-1", "resource_version": "1", **metadata}
    return Node(
        metadata=Meta(**said),
        raw_spec=raw({"taints": taints.wanted(wanted)} if spec is None else spec),
        raw_status=raw(faces.status(FACE, wanted, told) if status is None else status),
    )


def caches() -> Caches:
    """Of a cluster that nobody calls."""
    return Caches(Cluster(Access("http://rome.invalid"), name="rome"))
