"""How virtual kubelets are started and watched, and the RuntimeClass that sends pods to them."""

from __future__ import annotations

from collections.abc import Iterator

from liqo.api import labels
from liqo.api.meta import JSON
from liqo.api.offloading import VkOptionsTemplate
from liqo.install.checks import LOCAL
from liqo.install.kinds import POD_MONITOR, RUNTIME_CLASS, manifest
from liqo.install.marks import marks
from liqo.install.settings import Settings
from liqo.install.values import CHOOSABLE, WORKERS
from liqo.rules import apiserver

TEMPLATE = "virtual-kubelet-default"


def manifests(settings: Settings) -> Iterator[JSON]:
    if settings["offloading.runtimeClass.enabled"]:
        yield runtime_class(settings)
    marked = marks(settings, "virtual-kubelet")
    begun = manifest(VkOptionsTemplate.KIND, TEMPLATE, marked, settings.namespace)
    yield {**begun, "spec": options(settings)}
    if settings["metrics.enabled"] and settings["metrics.prometheusOperator.enabled"]:
        yield pod_monitor(settings)


def runtime_class_name(settings: Settings) -> str:
    """Empty where there is none."""
    is_there = settings["offloading.runtimeClass.enabled"]
    return str(settings["offloading.runtimeClass.name"]) if is_there else ""


def runtime_class(settings: Settings) -> JSON:
    begun = manifest(
        RUNTIME_CLASS, settings["offloading.runtimeClass.name"], marks(settings, "runtime-class")
    )
    scheduling = {
        "nodeSelector": settings["offloading.runtimeClass.nodeSelector"],
        "tolerations": settings["offloading.runtimeClass.tolerations"],
    }
    handler = settings["offloading.runtimeClass.handler"]
    return {**begun, "handler": handler, "scheduling": scheduling}


def pod_monitor(settings: Settings) -> JSON:
    """Where Prometheus finds the figures of kubelets: in whichever namespace they are."""
    above = "virtualKubelet.metrics.podMonitor"
    marked = {**marks(settings, "virtual-kubelet"), **settings[f"{above}.labels"]}
    told = {name: settings[f"{above}.{name}"] for name in ("interval", "scrapeTimeout")}
    endpoint = {"port": "metrics", **{name: value for name, value in told.items() if value}}
    spec = {
        "namespaceSelector": {"any": True},
        "selector": {"matchLabels": {labels.OFFLOADING_COMPONENT: "virtual-kubelet"}},
        "podMetricsEndpoints": [endpoint],
    }
    begun = manifest(POD_MONITOR, "liqo-virtual-kubelet", marked, settings.namespace)
    return {**begun, "spec": spec}


def options(settings: Settings) -> JSON:
    unseen = [] if settings["networking.reflectIPs"] else ["--disable-ip-reflection"]
    own = ["--enable-apiserver-support=true", *unseen]
    extra = [*home(settings), *settings["virtualKubelet.extra.args"], *own]
    measured = settings["metrics.enabled"]
    spec: JSON = {
        "containerImage": settings.image,
        "pullPolicy": settings["pullPolicy"],
        "replicas": settings["virtualKubelet.replicas"],
        "createNode": settings["offloading.createNode"],
        "disableNetworkCheck": settings["offloading.disableNetworkCheck"],
        "metricsEnabled": measured,
        "extraArgs": extra,
        "nodeExtraLabels": settings["virtualKubelet.virtualNode.extra.labels"],
        "nodeExtraAnnotations": settings["virtualKubelet.virtualNode.extra.annotations"],
        "labelsNotReflected": settings["offloading.reflection.skip.labels"],
        "annotationsNotReflected": settings["offloading.reflection.skip.annotations"],
        "reflectorsConfig": {kind: reflector(settings, kind) for kind in WORKERS},
    }
    if measured:
        spec["metricsAddress"] = f":{settings['virtualKubelet.metrics.port']}"
    return spec


def home(settings: Settings) -> Iterator[str]:
    """Where pods on providers find this API server; who says it in other arguments is believed.

    Pods know it by the cluster's own authority, and whoever presents another one is nothing to
    them: then kubelets look for an address in the cluster, as where none was said.
    """
    if settings["apiServer.ca"] or settings["apiServer.trustedCA"]:
        return
    host, port = apiserver.endpoint_of(settings["apiServer.address"]) or ("", 0)
    if host and host not in LOCAL:
        yield f"--home-api-server-host={host}"
        yield f"--home-api-server-port={port}"


def reflector(settings: Settings, kind: str) -> JSON:
    above = f"offloading.reflection.{kind}"
    how = {"type": settings[f"{above}.type"]} if kind in CHOOSABLE else {}
    return {"workers": settings[f"{above}.workers"], **how}
