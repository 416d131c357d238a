"""Disruption: a pod that Kubernetes ends for a reason that is not the pod's."""

from __future__ import annotations

from liqo.api.kubernetes import Pod

SWEPT = "DeletionByPodGC"
MENTION = SWEPT.encode()


def is_swept(pod: Pod) -> bool:
    """Its Node is no more. Kubernetes says that it failed and deletes it, in two writes: who sees
    the first one only must not take it for the pod's own end.

    Asked at every change of every pod: where it is not mentioned, nothing is decoded.
    """
    if MENTION not in bytes(pod.raw_status):
        return False
    return any(
        each["type"] == "DisruptionTarget" and each["status"] == "True"
        for each in pod.status.get("conditions", ())
        if each.get("reason") == SWEPT
    )
