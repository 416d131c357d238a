"""Labels and annotations of a pod that goes out: which travel, and what they tell of its origin."""

from __future__ import annotations

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON, Resource
from liqo.api.offloading import ShadowPod
from liqo.kubelet.site import Site
from liqo.rules.difference import difference

HOME_LABELS = frozenset({labels.SHADOW_POD, labels.REMOTE_UNAVAILABLE})
HOME_ANNOTATIONS = frozenset(
    {
        labels.REMOTE_POD_UID,
        labels.EARLIER_RESTARTS,
        labels.MADE_OF,  # of a pod that came to us before it goes on
        labels.END_WITHIN,
        labels.STILL_TAKES,
    }
)
# Put on a ShadowPod by those who admit it.
PROVIDERS_LABELS = frozenset({labels.CREATOR_USER})
PROVIDERS_ANNOTATIONS = frozenset({labels.STILL_TAKES})


def own_labels(local: Pod, site: Site) -> dict[str, str]:
    """Those that a user gave it, and the virtual node: what its like on the provider share.

    The node is no user's to withhold: without it nobody would match the remote pod to ours.
    """
    left_out = site.patch.labels_not_reflected
    kept = {
        name: value
        for name, value in local.metadata.labels.items()
        if name not in HOME_LABELS and name not in PROVIDERS_LABELS and name not in left_out
    }
    return {**kept, labels.NODE_NAME: site.node}


def travelling_labels(local: Pod, site: Site) -> dict[str, str]:
    origin = {labels.ORIGIN: site.home, labels.DESTINATION: site.provider}
    return {**own_labels(local, site), **origin}


def travelling_annotations(local: Pod, site: Site, namespace: str) -> dict[str, str]:
    left_out = site.patch.annotations_not_reflected
    kept = {
        name: value
        for name, value in local.metadata.annotations.items()
        if name not in HOME_ANNOTATIONS and name not in left_out
    }
    home = local.metadata.namespace
    moved = {labels.LOCAL_NAMESPACE: home} if namespace != home else {}
    return {**kept, **moved, labels.LOCAL_POD_UID: local.metadata.uid}


def changed_marks(shadow: ShadowPod, local: Pod, site: Site) -> JSON:
    """What has to change in a ShadowPod's metadata; empty where nothing has."""
    there = shadow.metadata
    shown = {name: value for name, value in there.labels.items() if name not in PROVIDERS_LABELS}
    notes = {
        name: value
        for name, value in there.annotations.items()
        if name not in PROVIDERS_ANNOTATIONS
    }
    changes = {
        "labels": difference(shown, travelling_labels(local, site)),
        "annotations": difference(notes, travelling_annotations(local, site, there.namespace)),
    }
    return {part: change for part, change in changes.items() if change}


def is_ours(there: Resource, site: Site) -> bool:
    """Made for our cluster at this provider: anything else is never touched."""
    marks = there.metadata.labels
    return marks.get(labels.ORIGIN) == site.home and marks.get(labels.DESTINATION) == site.provider


def is_of_our_node(there: Resource, site: Site) -> bool:
    return is_ours(there, site) and there.metadata.labels.get(labels.NODE_NAME) == site.node


def is_for(there: Resource, local: Pod) -> bool:
    """Made for this very pod, and for no earlier one of its name.

    What another implementation made tells nothing, and is believed.
    """
    return there.metadata.annotations.get(labels.LOCAL_POD_UID, local.metadata.uid) == (
        local.metadata.uid
    )
