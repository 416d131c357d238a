"""What belongs to which peer: tenant namespaces, and the copies that live in them."""

from __future__ import annotations

from liqo.api import labels
from liqo.api.kubernetes import Namespace
from liqo.api.meta import Resource


def is_tenant_namespace(namespace: Namespace | None, cluster_id: str) -> bool:
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
