"""One virtual node of rome's, named after milan, and what belongs to it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from liqo.api import labels
from liqo.api.core import ForeignCluster, ForeignClusterSpec
from liqo.api.kubernetes import Deployment, Node
from liqo.api.meta import Meta
from liqo.api.offloading import (
    NamespaceMap,
    NamespaceMapSpec,
    NamespaceMapStatus,
    RemoteNamespace,
    VirtualNode,
    VirtualNodeSpec,
    VkOptionsTemplate,
    VkOptionsTemplateSpec,
)
from liqo.api.sizes import Binding, BoundPod, Reason
from liqo.api.values import LocalReference
from liqo.consumer.kubelet.departures import bound_to, departures
from liqo.kube.cache import Caches
from liqo.kube.listing import Listing
from tests.unit.consumer.things import NAMESPACE

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
GONE = "2026-11-16T11:59:00Z"
MARKS = {labels.REMOTE_CLUSTER_ID: "milan"}


def raw(content: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(content))


def a_virtual_node(create_node: bool | None = True, **metadata: Any) -> VirtualNode:
    said = {
        "name": "milan",
        "namespace": NAMESPACE,
        "uid": "vn-1",
        "resource_version": "1",
        "labels": MARKS,
        "finalizers": (labels.VIRTUAL_NODE_FINALIZER,),
        **metadata,
    }
    return VirtualNode(
        metadata=Meta(**said),
        spec=VirtualNodeSpec(
            cluster_id="milan",
            create_node=create_node,
            kubeconfig_secret_ref=LocalReference(name="kubeconfig-resourceslice-milan"),
        ),
    )


def options(**spec: Any) -> VkOptionsTemplate:
    said = {
        "container_image": "localhost/liqo/liqo:1",
        "create_node": True,
        "disable_network_check": False,
        "metrics_enabled": False,
        **spec,
    }
    return VkOptionsTemplate(
        metadata=Meta(name="virtual-kubelet-default", namespace="liqo", resource_version="1"),
        spec=VkOptionsTemplateSpec(**said),
    )


def a_deployment(ready: int = 1) -> Deployment:
    marks = {labels.VIRTUAL_NODE: "milan", labels.OFFLOADING_COMPONENT: "virtual-kubelet"}
    return Deployment(
        metadata=Meta(
            name="vk-milan", namespace=NAMESPACE, uid="d-1", resource_version="1", labels=marks
        ),
        raw_status=raw({"readyReplicas": ready}),
    )


def a_node(ready: str = "True", version: str = "1", **spec: Any) -> Node:
    return Node(
        metadata=Meta(
            name="milan",
            uid="n-1",
            resource_version=version,
            labels={labels.TYPE: "virtual-node", **MARKS},
        ),
        raw_spec=raw(spec),
        raw_status=raw({"conditions": [{"type": "Ready", "status": ready}]}),
    )


def a_pod(name: str = "web", reason: str = "", **metadata: Any) -> BoundPod:
    said = {
        "name": name,
        "namespace": "shop",
        "uid": f"uid-{name}",
        "resource_version": "1",
        "labels": {labels.SHADOW_POD: "true"},
        **metadata,
    }
    status = Reason(reason=reason)
    return BoundPod(metadata=Meta(**said), spec=Binding(node_name="milan"), status=status)


async def listed(here: Caches, *pods: BoundPod) -> None:
    """All pods on the node, once it leaves."""
    departures(here)
    await here.later(BoundPod, bound_to("milan")).adopt(Listing(list(pods), "7"))


def a_map(*namespaces: str, **metadata: Any) -> NamespaceMap:
    said = {
        "name": "milan",
        "namespace": NAMESPACE,
        "uid": "m-1",
        "resource_version": "1",
        "labels": {**MARKS, labels.REMOTE_ID: "milan", labels.REPLICATION: "true"},
        **metadata,
    }
    current = {
        name: RemoteNamespace(remote_namespace=f"{name}-rome", phase="Accepted")
        for name in namespaces
    }
    asked = {name: f"{name}-rome" for name in namespaces}
    return NamespaceMap(
        metadata=Meta(**said),
        spec=NamespaceMapSpec(desired_mapping=asked),
        status=NamespaceMapStatus(current_mapping=current),
    )


def a_foreign_cluster(**annotations: str) -> ForeignCluster:
    said = {f"liqo.io/{name.replace('_', '-')}": value for name, value in annotations.items()}
    return ForeignCluster(
        metadata=Meta(name="milan", resource_version="1", labels=MARKS, annotations=said),
        spec=ForeignClusterSpec(cluster_id="milan"),
    )
