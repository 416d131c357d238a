"""What a consumer may not change of its ResourceSlices here: what is its provider's to say (S9).

Its control plane may write them, because that is how copies come here. Nothing it writes may lift
a cordon, or turn a granted request into another one. That it stays a copy is seen to in copies.py.
"""

from __future__ import annotations

from collections.abc import Mapping

from liqo.api import labels
from liqo.api.authentication import ResourceSlice
from liqo.webhooks.review import Deny

CORDONS = (labels.CORDON, labels.CORDON_TENANT)


def check_trespass(old: ResourceSlice, new: ResourceSlice) -> Deny | None:
    before, after = old.metadata, new.metadata
    if did := done_to(labels.REMOTE_CLUSTER_ID, before.labels, after.labels):
        return Deny(f"can't {did} the remoteClusterID label")
    for name in CORDONS:
        if did := done_to(name, before.annotations, after.annotations):
            return Deny(f"control plane users can't {did} the {name} annotation")
    return check_granted(old, new)


def check_granted(old: ResourceSlice, new: ResourceSlice) -> Deny | None:
    """
    accepted           | consumerClusterID | class
    -------------------+-------------------+-----------------------------------------------------
    nothing            | may change        | may change
    its authentication | stays             | may change: nothing is granted, and another may grant
    its resources      | stays             | stays
    """
    granted = old.accepted("Resources")
    if not granted and not old.accepted("Authentication"):
        return None
    if new.spec.consumer_cluster_id != old.spec.consumer_cluster_id:
        return Deny(refusal("consumerClusterID", old.spec.consumer_cluster_id))
    if granted and (new.spec.class_ or "default") != (old.spec.class_ or "default"):
        return Deny(refusal("class", old.spec.class_))
    return None


def refusal(field: str, stored: str) -> str:
    return (
        f"control plane users can't change spec.{field} of an accepted ResourceSlice: it is \""
        f'{stored}"; delete it and ask again'
    )


def done_to(name: str, old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """The verb; empty where it is as it was."""
    if old.get(name) == new.get(name):
        return ""
    if name not in old:
        return "add"
    return "delete" if name not in new else "change"
