"""A cluster with a namespace to offload, as an API server tells of it."""

from __future__ import annotations

from typing import Any

from liqo.api.meta import JSON
from tests.unit.cli.answers import an_installation, thing, things
from tests.unit.kube.scripted import Answer, refuses

HOME = things(an_installation("rome"))
NONE = refuses(404, "not found", "NotFound")


def a_namespace(name: str = "shop", *, going: bool = False, label: str = "") -> JSON:
    metadata: JSON = {"name": name, "labels": {label: "true"} if label else {}}
    if going:
        metadata["deletionTimestamp"] = "2026-11-16T08:00:00Z"
    return {"metadata": metadata}


def an_offloading(phase: str = "", **conditions: list[JSON]) -> JSON:
    """That of shop, of its second generation."""
    return {
        "apiVersion": "offloading.liqo.io/v1beta1",
        "kind": "NamespaceOffloading",
        "metadata": {"name": "offloading", "namespace": "shop", "generation": 2},
        "spec": {"clusterSelector": {"nodeSelectorTerms": []}},
        "status": {
            "offloadingPhase": phase,
            "observedGeneration": 2 if phase else 1,
            "remoteNamespacesConditions": conditions,
        },
    }


def selected(ready: str = "True", message: str = "") -> list[JSON]:
    said = {"reason": "", "lastTransitionTime": "2026-11-16T08:00:00Z"}
    return [
        {"type": "OffloadingRequired", "status": "True", "message": "", **said},
        {"type": "Ready", "status": ready, "message": message, **said},
    ]


def offloading_of_shop(*answers: Answer, present: JSON | None = None) -> tuple[Answer, ...]:
    """Up to the write: the installation, the namespace, and what it says now."""
    now = thing(present) if present is not None else NONE
    return HOME, thing(a_namespace()), now, thing(an_offloading()), *answers


def a_pod(name: str, node: str, *, owned: bool = True, **status: Any) -> JSON:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u"}
    owners = [{**owner, "controller": True}] if owned else []
    return {
        "metadata": {
            "name": name,
            "namespace": "shop",
            "uid": f"uid-{name}",
            "ownerReferences": owners,
        },
        "spec": {"nodeName": node},
        "status": {"phase": "Running", **status},
    }


def a_claim(name: str, node: str) -> JSON:
    annotations = {"volume.kubernetes.io/selected-node": node}
    return {"metadata": {"name": name, "namespace": "shop", "annotations": annotations}}
