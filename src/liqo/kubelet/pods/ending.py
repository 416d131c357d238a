"""Statuses that no remote pod has: of pods that cannot go out, or whose remote pod is no more."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal, TypeAlias, cast

from liqo.api.kubernetes import Pod, PodStatus
from liqo.api.meta import JSON
from liqo.kubelet.namespaces import Place
from liqo.kubelet.pods.status import CONTAINERS, FINISHED
from liqo.runtime.clock import timestamp

Reason: TypeAlias = Literal["OffloadingBackOff", "OffloadingAborted", "RemotePodTerminated"]
BACK_OFF: Reason = "OffloadingBackOff"  # it stays at home: nothing of it is on the provider
GOING = "RemotePodTerminating"
READINESS = frozenset({"ContainersReady", "Ready"})


def ended(here: PodStatus, phase: str, reason: Reason, now: datetime) -> JSON:
    """What changes in a status when this is all that can be said about its pod."""
    status = cast(JSON, here)
    changes: JSON = {"phase": phase, "reason": reason}
    if conditions := _untrue(status.get("conditions", ()), reason, now):
        changes["conditions"] = conditions
    for field in CONTAINERS:
        if field in status:
            changes[field] = [_stopped(each, phase, reason) for each in status[field]]
    return changes


def _stopped(container: JSON, phase: str, reason: Reason) -> JSON:
    stopped = {**container, "ready": False}
    if phase not in FINISHED or "terminated" in container.get("state", {}):
        return stopped
    code = 1 if phase == "Failed" else 0
    return {**stopped, "state": {"terminated": {"exitCode": code, "reason": reason}}}


def unready(here: PodStatus, now: datetime, reason: str = GOING) -> list[JSON]:
    """The conditions that change while one remote pod goes and the next is still to come."""
    known = cast(JSON, here).get("conditions", ())
    return _untrue((each for each in known if each["type"] in READINESS), reason, now)


def _untrue(conditions: Iterable[JSON], reason: str, now: datetime) -> list[JSON]:
    false = {"status": "False", "reason": reason, "lastTransitionTime": timestamp(now)}
    return [{**each, **false} for each in conditions if each["status"] == "True"]


def has_started(here: PodStatus) -> bool:
    """Whether anything of it ever ran, as far as its status tells."""
    status = cast(JSON, here)
    waits = status.get("phase", "Pending") == "Pending"
    return not waits or any(status.get(field) for field in CONTAINERS)


def stays(local: Pod, place: Place) -> bool:
    """Its namespace goes out without its pods; what ran there before that goes on."""
    return place.keeps_pods and not has_started(local.status)
