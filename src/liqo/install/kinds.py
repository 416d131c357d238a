"""The kinds an installation consists of, in the order in which they are applied."""

from __future__ import annotations

from liqo.api.admission import MutatingWebhookConfiguration, ValidatingWebhookConfiguration
from liqo.api.ipam import Network
from liqo.api.kubernetes import (
    ClusterRole,
    ClusterRoleBinding,
    ConfigMap,
    CustomResourceDefinition,
    Deployment,
    Namespace,
    RoleBinding,
    Service,
    ServiceAccount,
)
from liqo.api.meta import JSON, Key, Kind
from liqo.api.offloading import VkOptionsTemplate

RBAC = ClusterRole.KIND.group
ROLE = Kind(RBAC, "v1", "Role", "roles")
RUNTIME_CLASS = Kind("node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", namespaced=False)
POD_MONITOR = Kind("monitoring.coreos.com", "v1", "PodMonitor", "podmonitors")
WEBHOOKS = (MutatingWebhookConfiguration.KIND, ValidatingWebhookConfiguration.KIND)

FOUNDATION = (Namespace.KIND, CustomResourceDefinition.KIND)  # they outlive an installation
REST = (
    ServiceAccount.KIND,
    ClusterRole.KIND,
    ROLE,
    ClusterRoleBinding.KIND,
    RoleBinding.KIND,
    ConfigMap.KIND,
    RUNTIME_CLASS,
    VkOptionsTemplate.KIND,
    Network.KIND,
    Service.KIND,
    Deployment.KIND,
    POD_MONITOR,
    *WEBHOOKS,
)
ORDER = (*FOUNDATION, *REST)
_BY_NAME = {(kind.api_version, kind.name): kind for kind in ORDER}


def kind_of(manifest: JSON) -> Kind:
    return _BY_NAME[manifest["apiVersion"], manifest["kind"]]


def key_of(manifest: JSON) -> Key:
    return Key(manifest["metadata"].get("namespace", ""), manifest["metadata"]["name"])


def manifest(kind: Kind, name: str, labels: dict[str, str], namespace: str = "") -> JSON:
    """The beginning of each: what it is, what it is called, and whose it is."""
    metadata: JSON = {"name": name, "labels": labels}
    if namespace:
        metadata["namespace"] = namespace
    return {"apiVersion": kind.api_version, "kind": kind.name, "metadata": metadata}
