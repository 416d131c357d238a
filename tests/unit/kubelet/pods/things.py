"""A pod of rome, its ShadowPod on milan, and the pod that milan made of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON, Meta, OwnerReference
from liqo.api.offloading import PodPhase, ShadowPod, ShadowPodSpec, ShadowPodStatus
from liqo.kubelet.namespaces import Place
from liqo.kubelet.site import ApiServer, Site
from liqo.rules.changes import Made

NOW = datetime(2026, 11, 15, 10, 18, 0, tzinfo=UTC)
GOING = "2026-11-15T10:17:59Z"
SITE = Site(
    home="rome",
    provider="milan",
    node="milan",
    tenant_namespace="liqo-tenant-milan",
    node_ip="10.9.9.9",
    api_server=ApiServer("rome.example.org", 6443),
)
PLACE = Place("shop-rome")
SPEC: JSON = {
    "nodeName": "milan",
    "restartPolicy": "Always",
    "containers": [{"name": "web", "image": "nginx"}],
}
OFFERED: JSON = {name: SPEC[name] for name in ("restartPolicy", "containers")}
SCHEDULED: JSON = {
    "type": "PodScheduled",
    "status": "True",
    "lastProbeTime": None,
    "lastTransitionTime": "2026-11-15T10:17:54Z",
}
BOUND: JSON = {"phase": "Pending", "qosClass": "BestEffort", "conditions": [SCHEDULED]}


REFUSAL: JSON = {
    "type": "offloading.liqo.io/Accepted",
    "status": "False",
    "reason": "FailedReflection",
    "message": 'cluster "milan": peering cpu quota usage exceeded - free 500m / requested 600m',
}
OVER_QUOTA: JSON = {**BOUND, "conditions": [SCHEDULED, REFUSAL]}


def asking(cpu: str, **more: str) -> JSON:
    """A spec whose one container asks for that much."""
    sized = {"name": "web", "image": "nginx", "resources": {"requests": {"cpu": cpu, **more}}}
    return {**SPEC, "containers": [sized]}


def raw(content: JSON) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(content))


def condition(kind: str, status: str = "True", **more: Any) -> JSON:
    return {**SCHEDULED, "type": kind, "status": status, **more}


def container(state: str = "running", *, restarts: int = 0, **more: Any) -> JSON:
    return {
        "name": "web",
        "ready": state == "running",
        "restartCount": restarts,
        "state": {state: more},
    }


def running(**more: Any) -> JSON:
    """As milan's kubelet says it."""
    conditions = [condition(kind) for kind in ("Ready", "ContainersReady", "PodScheduled")]
    return {
        "phase": "Running",
        "conditions": conditions,
        "containerStatuses": [container()],
        "podIP": "10.61.0.7",
        "podIPs": [{"ip": "10.61.0.7"}],
        "hostIP": "10.200.0.12",
        "hostIPs": [{"ip": "10.200.0.12"}],
        "startTime": "2026-11-15T10:17:55Z",
        "qosClass": "BestEffort",
        **more,
    }


def a_pod(status: JSON | None = None, spec: JSON | None = None, **metadata: Any) -> Pod:
    """Bound to our node; nothing more, unless a status says so."""
    given = {"name": "web-0", "namespace": "shop", "uid": "local-1", "labels": {"app": "web"}}
    return Pod(
        metadata=Meta(**{**given, "resource_version": "7", "generation": 3, **metadata}),
        raw_spec=raw(spec or SPEC),
        raw_status=raw(status or BOUND),
    )


def marks(**more: str) -> dict[str, str]:
    ours = {labels.ORIGIN: "rome", labels.DESTINATION: "milan", labels.NODE_NAME: "milan"}
    return {"app": "web", **ours, **more}


def a_shadow(phase: PodPhase | None = None, spec: JSON | None = None, **metadata: Any) -> ShadowPod:
    given = {
        "name": "web-0",
        "namespace": "shop-rome",
        "uid": "shadow-1",
        "labels": marks(**{labels.CREATOR_USER: "milan-a8a4c692b93b"}),
        "annotations": {labels.LOCAL_POD_UID: "local-1", labels.LOCAL_NAMESPACE: "shop"},
    }
    status = ShadowPodStatus(phase=phase) if phase is not None else None
    asked = ShadowPodSpec(raw_pod=raw(spec or OFFERED))
    return ShadowPod(metadata=Meta(**{**given, **metadata}), spec=asked, status=status)


def a_remote(
    status: JSON | None = None, spec: JSON | None = None, *, of: str = "shadow-1", **metadata: Any
) -> Pod:
    owner = OwnerReference(api_version="v1", kind="ShadowPod", name="web-0", uid=of)
    given = {
        "name": "web-0",
        "namespace": "shop-rome",
        "uid": "remote-1",
        "generation": 1,
        "labels": marks(**{labels.MANAGED_BY: "shadowpod"}),
        "annotations": a_shadow().metadata.annotations,
        "owner_references": (owner,) if of else (),
    }
    return Pod(
        metadata=Meta(**{**given, **metadata}),
        raw_spec=raw(spec or OFFERED),
        raw_status=raw(status or running()),
    )


def recorded(made: Made) -> JSON:
    """Metadata of a remote pod whose provider brings later changes to it."""
    return {"annotations": {**a_shadow().metadata.annotations, labels.MADE_OF: str(made)}}


def known(annotations: Mapping[str, str] | None = None, *, remote: str = "remote-1") -> JSON:
    """Metadata of a local pod that has shown the status of a remote one before."""
    return {
        "labels": {"app": "web", labels.SHADOW_POD: "true"},
        "annotations": {labels.REMOTE_POD_UID: remote, **(annotations or {})},
    }
