"""A node, its pods and where they went, for the tests of the kubelet's API."""

from __future__ import annotations

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import Meta
from liqo.api.offloading import (
    NamespaceMap,
    NamespaceMapSpec,
    NamespaceMapStatus,
    RemoteNamespace,
)
from liqo.kube.access import Access
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kubelet.api.twins import Twins, twins
from liqo.kubelet.site import Site

SITE = Site("rome", "milan", "milan", "liqo-tenant-milan", node_ip="127.0.0.1")


def a_map(**spaces: str) -> NamespaceMap:
    current = {local: RemoteNamespace(there, "Accepted") for local, there in spaces.items()}
    return NamespaceMap(
        metadata=Meta(
            name="milan",
            namespace=SITE.tenant_namespace,
            labels={labels.REMOTE_CLUSTER_ID: "milan"},
            resource_version="1",
        ),
        spec=NamespaceMapSpec(desired_mapping=dict(spaces)),
        status=NamespaceMapStatus(current_mapping=current),
    )


def a_pod(name: str, namespace: str = "shop") -> Pod:
    return Pod(
        metadata=Meta(name=name, namespace=namespace, uid=f"uid-{name}", resource_version="1")
    )


def known(*pods: Pod, home: Cluster | None = None) -> Twins:
    """Two namespaces of which one is offloaded, and these pods."""
    here = Caches(home or Cluster(Access("http://rome.invalid")))
    found = twins(here, SITE)
    for pod in pods:
        found.pods.take(pod)
    found.atlas.maps.take(a_map(shop="shop-rome"))
    return found
