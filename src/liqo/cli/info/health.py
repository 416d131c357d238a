"""How things are: an installation is judged by its pods, a peering by its conditions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from liqo.api.core import (
    ForeignCluster,
    ForeignClusterCondition,
    ForeignClusterStatus,
    Module,
    Modules,
)
from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON

Health: TypeAlias = Literal["Healthy", "Unhealthy", "Disabled"]
GOOD = {"Established", "Ready"}
OFF = Module(enabled=False)
ALL_OFF = Modules(networking=OFF, authentication=OFF, offloading=OFF)


def of_module(module: Module) -> Health:
    if not module.enabled:
        return "Disabled"
    return "Unhealthy" if alerts(module.conditions) else "Healthy"


def alerts(conditions: Iterable[ForeignClusterCondition]) -> list[str]:
    """Why it is not healthy; a condition without a message speaks by its name."""
    bad = [each for each in conditions if each.status not in GOOD]
    return [each.message or f"{each.type}: {each.status}" for each in bad]


def status(peer: ForeignCluster) -> ForeignClusterStatus:
    """Unknown, while nobody has looked."""
    return peer.status or ForeignClusterStatus(role="Unknown")


def modules(peer: ForeignCluster) -> Modules:
    return status(peer).modules or ALL_OFF


def unhealthy_pods(pods: Iterable[Pod]) -> dict[str, JSON]:
    """Those that are not ready, unless their work is done."""
    return {pod.metadata.name: _state(pod) for pod in pods if not _is_well(pod)}


def _is_well(pod: Pod) -> bool:
    status = pod.status
    ready = ("Ready", "True")
    conditions = status.get("conditions", ())
    return status.get("phase") == "Succeeded" or any(
        (each.get("type"), each.get("status")) == ready for each in conditions
    )


def _state(pod: Pod) -> JSON:
    containers = pod.status.get("containerStatuses", [])
    return {
        "status": pod.status.get("phase", "Unknown"),
        "readyContainers": sum(bool(each.get("ready")) for each in containers),
        "totalContainers": len(containers),
        "restarts": sum(each.get("restartCount", 0) for each in containers),
    }
