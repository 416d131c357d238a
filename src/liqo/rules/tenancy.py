"""What belongs to which peer: tenant namespaces, and the copies that live in them."""

from __future__ import annotations

from liqo.api import labels
from liqo.api.meta import Resource

POD_SECURITY = ("audit", "enforce", "warn")


def namespace_labels(cluster_id: str) -> dict[str, str]:
    """Of the tenant namespace of that peer. Gateways in it need more than a restricted pod may."""
    levels = {f"pod-security.kubernetes.io/{mode}": "privileged" for mode in POD_SECURITY}
    return {labels.REMOTE_CLUSTER_ID: cluster_id, labels.TENANT_NAMESPACE: "true", **levels}


def is_tenant_namespace(namespace: Resource | None, cluster_id: str) -> bool:
    """Its labels say so; its name may be any."""
    if namespace is None or not cluster_id:
        return False
    marks = namespace.metadata.labels
    return (
        marks.get(labels.TENANT_NAMESPACE, "false") != "false"
        and marks.get(labels.REMOTE_CLUSTER_ID) == cluster_id
    )


def is_copy(thing: Resource) -> bool:
    """A peer's replicator made it here; otherwise it is ours."""
    marks = thing.metadata.labels
    return marks.get(labels.REPLICATED) == "true" and labels.ORIGIN_ID in marks


def is_withdrawal(thing: Resource) -> bool:
    """A consumer left this copy to say that it is gone for good."""
    return is_copy(thing) and thing.metadata.annotations.get(labels.WITHDRAWAL) == "true"
