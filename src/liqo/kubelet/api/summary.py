"""`/stats/summary`: what our pods use, as the provider's own metrics tell it.

Those are rates and sizes of a moment. Counters that only grow are at `/metrics/resource`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from http import HTTPStatus

import msgspec

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON, Key, Kind
from liqo.kube.cluster import Cluster
from liqo.kube.errors import KubeError, NotFound
from liqo.kube.http import Request
from liqo.kube.paths import Scope, scoped
from liqo.kubelet.api.answer import JSON_TYPE, Answer, refused
from liqo.kubelet.api.twins import Twins
from liqo.kubelet.site import Site
from liqo.rules import quantity
from liqo.runtime.clock import timestamp

METRICS = Kind("metrics.k8s.io", "v1beta1", "PodMetrics", "pods")


class Measured(msgspec.Struct, frozen=True):
    """One pod of the provider's, as metrics-server tells it."""

    metadata: dict[str, object]
    containers: list[JSON] = []


class _Listed(msgspec.Struct):
    items: list[Measured] = []


async def answer(provider: Cluster, twins: Twins, site: Site, now: datetime) -> Answer:
    found: list[tuple[Pod, Measured]] = []
    try:
        for local, place in list(twins.atlas.places().items()):
            if not place.is_answered:
                continue  # nothing of ours is there
            for each in await _measured(provider, site, place.namespace):
                pod = twins.pods.get(Key(local, str(each.metadata.get("name"))))
                if pod is not None:
                    found.append((pod, each))
    except KubeError as error:
        return refused(error)
    told = summary(site.node, found, now)
    return Answer(HTTPStatus.OK, msgspec.json.encode(told), JSON_TYPE)


async def _measured(provider: Cluster, site: Site, namespace: str) -> Sequence[Measured]:
    ours = f"{labels.ORIGIN}={site.home},{labels.DESTINATION}={site.provider}"
    path = scoped(METRICS, Scope(namespace, labels=ours))
    try:
        return msgspec.json.decode(await provider.request(Request("GET", path)), type=_Listed).items
    except NotFound:
        return ()  # nobody measures there


def summary(node: str, measured: Iterable[tuple[Pod, Measured]], now: datetime) -> JSON:
    time = timestamp(now)
    pods = [_pod(pod, each, time) for pod, each in measured]
    return {"node": {"nodeName": node, **_sum(pods, time)}, "pods": pods}


def _pod(pod: Pod, measured: Measured, time: str) -> JSON:
    start = pod.metadata.creation_timestamp
    containers = [
        {"name": each["name"], "startTime": start, **_used(each.get("usage", {}), time)}
        for each in measured.containers
    ]
    where = {"name": pod.metadata.name, "namespace": pod.metadata.namespace}
    return {
        "podRef": {**where, "uid": pod.metadata.uid},
        "startTime": start,
        "containers": containers,
        **_sum(containers, time),
    }


def _used(usage: dict[str, str], time: str) -> JSON:
    cores = quantity.parse(usage.get("cpu", "0")).nano
    size = quantity.parse(usage.get("memory", "0")).nano // quantity.NANO
    return _figures(cores, size, time)


def _sum(parts: Sequence[JSON], time: str) -> JSON:
    cores = sum(part["cpu"]["usageNanoCores"] for part in parts)
    return _figures(cores, sum(part["memory"]["usageBytes"] for part in parts), time)


def _figures(cores: int, size: int, time: str) -> JSON:
    return {
        "cpu": {"time": time, "usageNanoCores": cores},
        "memory": {"time": time, "usageBytes": size, "workingSetBytes": size},
    }
