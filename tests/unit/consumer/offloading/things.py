"""Namespaces of rome that are offloaded to milan, and what its controllers see of that."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from liqo.api import labels
from liqo.api.kubernetes import Node
from liqo.api.meta import JSON, Meta
from liqo.api.offloading import (
    NamespaceMap,
    NamespaceMapSpec,
    NamespaceMapStatus,
    NamespaceOffloading,
    NamespaceOffloadingSpec,
    RemoteNamespace,
    VirtualNode,
    VirtualNodeSpec,
)
from liqo.kube.cache import Caches
from liqo.kube.reading import Metadata
from liqo.runtime.sights import NAMESPACES, VIRTUAL_NODES
from tests.unit.consumer.things import put

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
JUST_NOW = "2026-11-16T11:59:00Z"
LONG_AGO = "2026-11-16T11:00:00Z"
HELD = (labels.NAMESPACE_OFFLOADING_FINALIZER,)
SOUTH: JSON = {
    "nodeSelectorTerms": [
        {"matchExpressions": [{"key": labels.REGION, "operator": "In", "values": ["south"]}]}
    ]
}


def clock() -> datetime:
    return NOW


def offloading(
    namespace: str = "shop", spec: NamespaceOffloadingSpec | None = None, **metadata: Any
) -> NamespaceOffloading:
    said = {
        "name": "offloading",
        "namespace": namespace,
        "uid": f"nso-{namespace}",
        "resource_version": "1",
        "generation": 1,
        "finalizers": HELD,
        **metadata,
    }
    return NamespaceOffloading(metadata=Meta(**said), spec=spec or NamespaceOffloadingSpec())


def a_namespace(name: str = "shop", marks: dict[str, str] | None = None, **more: Any) -> Metadata:
    metadata = Meta(name=name, uid=f"ns-{name}", resource_version="1", labels=marks or {}, **more)
    return Metadata(metadata=metadata)


def a_map(
    provider: str = "milan",
    desired: dict[str, str] | None = None,
    current: dict[str, RemoteNamespace] | None = None,
    **metadata: Any,
) -> NamespaceMap:
    marks = {
        labels.REMOTE_CLUSTER_ID: provider,
        labels.REMOTE_ID: provider,
        labels.REPLICATION: "true",
    }
    said = {
        "name": provider,
        "namespace": f"liqo-tenant-{provider}",
        "uid": f"map-{provider}",
        "resource_version": "1",
        "labels": marks,
        **metadata,
    }
    return NamespaceMap(
        metadata=Meta(**said),
        spec=NamespaceMapSpec(desired_mapping=desired or {}),
        status=NamespaceMapStatus(current_mapping=current or {}),
    )


def accepted(name: str = "shop-rome") -> RemoteNamespace:
    return RemoteNamespace(remote_namespace=name, phase="Accepted")


def a_virtual_node(
    provider: str = "milan", shown: dict[str, str] | None = None, name: str = ""
) -> VirtualNode:
    metadata = Meta(
        name=name or provider,
        namespace=f"liqo-tenant-{provider}",
        resource_version="1",
        labels={labels.REMOTE_CLUSTER_ID: provider},
    )
    return VirtualNode(
        metadata=metadata, spec=VirtualNodeSpec(cluster_id=provider, labels=shown or {})
    )


def bring_node(here: Caches, name: str, marks: dict[str, str], version: str = "1") -> None:
    node = Node(metadata=Meta(name=name, resource_version=version, labels=marks))
    put(here, node, VIRTUAL_NODES)


def bring_namespace(here: Caches, namespace: Metadata) -> None:
    here.of(NAMESPACES).take(namespace)


def with_status(wanted: NamespaceOffloading, change: JSON) -> NamespaceOffloading:
    """As the API server would have it after that patch of an empty status."""
    status = msgspec.convert(change, type(wanted.status))
    return msgspec.structs.replace(wanted, status=status)
