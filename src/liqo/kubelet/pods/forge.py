"""From a pod to the ShadowPod that asks a provider to run it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from liqo.api import labels
from liqo.api.kubernetes import Pod, PodSpec
from liqo.api.meta import JSON
from liqo.api.offloading import OffloadingPatch, ShadowPod
from liqo.kubelet.pods.affinity import remote_affinity
from liqo.kubelet.pods.apiserver import stay_of, supported
from liqo.kubelet.pods.marks import own_labels, travelling_annotations, travelling_labels
from liqo.kubelet.site import Site
from liqo.runtime.plan import Manifest

# Whole fields, whatever is inside them. What is not named here stays home.
TRAVELS = frozenset(
    {
        "activeDeadlineSeconds",
        "containers",
        "dnsConfig",
        "dnsPolicy",
        "enableServiceLinks",
        "hostAliases",
        "hostname",
        "imagePullSecrets",
        "initContainers",
        "readinessGates",
        "restartPolicy",
        "securityContext",
        "setHostnameAsFQDN",
        "shareProcessNamespace",
        "subdomain",
        "terminationGracePeriodSeconds",
        "tolerations",
        "topologySpreadConstraints",
        "volumes",
    }
)
# Of what stays home, these change how the pod runs: its owner should know. Under each name the
# value that says nothing.
MISSED: Mapping[str, object] = {
    "hostIPC": False,
    "hostNetwork": False,
    "hostPID": False,
    "hostUsers": True,
    "hostnameOverride": "",
    "os": {"name": "linux"},
    "priorityClassName": "",
    "resourceClaims": [],
    "resources": {},
    "schedulerName": "default-scheduler",
}
CONTAINERS = frozenset({"containers", "initContainers"})
OUR_RUNTIME_CLASS = "liqo"  # chooses virtual nodes, and means nothing on the provider


def shadow_pod(local: Pod, namespace: str, site: Site) -> Manifest:
    """With the label that its provider would put on it: then nobody has to ask a webhook for it."""
    creator = {labels.CREATOR_USER: site.user} if site.user else {}
    metadata = {
        "name": local.metadata.name,
        "namespace": namespace,
        "labels": {**travelling_labels(local, site), **creator},
        "annotations": travelling_annotations(local, site, namespace),
    }
    pod = remote_spec(local, namespace, site)
    return Manifest(ShadowPod.KIND, {"metadata": metadata, "spec": {"pod": pod}})


def remote_spec(local: Pod, namespace: str, site: Site) -> JSON:
    spec, annotations, patch = local.spec, local.metadata.annotations, site.patch
    there: JSON = {field: value for field, value in spec.items() if field in TRAVELS}
    there |= supported(spec, stay_of(local.metadata, spec, namespace, site))
    if cast(JSON, spec).get("hostNetwork"):
        for field in CONTAINERS & there.keys():
            there[field] = [_off_the_host(each) for each in there[field]]
    chosen = {
        "nodeSelector": patch.node_selector,
        "tolerations": remote_tolerations(spec.get("tolerations") or (), patch),
        "affinity": remote_affinity(
            spec.get("affinity") or {}, annotations, own_labels(local, site), patch
        ),
        "runtimeClassName": _runtime_class(spec, annotations, patch),
    }
    there.pop("tolerations", None)
    return {**there, **{field: value for field, value in chosen.items() if value}}


def left_behind(spec: PodSpec) -> tuple[str, ...]:
    """The fields that its owner set and a provider never sees."""
    asked = cast(JSON, spec)
    return tuple(
        field
        for field, nothing in MISSED.items()
        if field in asked and asked[field] not in (nothing, None)
    )


def _off_the_host(container: JSON) -> JSON:
    """Each port of a pod in the host's network has been given the host's port of that number.

    Without that network the pod would take it from every other one there.
    """
    ports = [
        {name: value for name, value in port.items() if name != "hostPort"}
        for port in container.get("ports", ())
    ]
    return {**container, "ports": ports} if ports else container


def remote_tolerations(own: Iterable[JSON], patch: OffloadingPatch) -> list[JSON]:
    """Without the one that led it to a virtual node: the provider's are not meant."""
    kept = [each for each in own if each.get("key") != labels.NOT_ALLOWED_TAINT]
    return [*kept, *patch.tolerations]


def _runtime_class(spec: PodSpec, annotations: Mapping[str, str], patch: OffloadingPatch) -> str:
    told = annotations.get(labels.REMOTE_RUNTIME_CLASS_NAME)
    if told:
        return told
    own = cast(JSON, spec).get("runtimeClassName")
    return next((each for each in (own, patch.runtime_class_name) if _is_meant(each)), None) or ""


def _is_meant(runtime_class: str | None) -> bool:
    return bool(runtime_class) and runtime_class != OUR_RUNTIME_CLASS
