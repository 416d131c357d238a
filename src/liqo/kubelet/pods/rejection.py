"""A pod that cannot go out, as its owner is told: by an Event, and by a condition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import cast

from liqo.api import labels
from liqo.api.kubernetes import Event, Pod, PodStatus
from liqo.api.meta import JSON
from liqo.kubelet.namespaces import Place
from liqo.kubelet.pods.ending import BACK_OFF, GOING, READINESS, unready
from liqo.kubelet.pods.status import ACCEPTED, glance
from liqo.kubelet.site import Site
from liqo.runtime.clock import timestamp
from liqo.runtime.plan import Action, PatchStatus, Record

COMPONENT = "liqo-pod-reflection"  # who tells it, as dashboards know it
FAILED = "FailedReflection"  # we could not make the ShadowPod, or not change it
FAILED_POD = "FailedCreatePod"  # the provider could not make a pod of it …
FAILED_UPDATE = "FailedUpdatePod"  # … or not change the one that runs
FAILED_DELETION = "FailedDeletion"  # we could not let the pod at home go
REFUSALS = frozenset({FAILED, FAILED_POD})  # why what ran does not run again
# Of containers that are started again with a new remote pod: those for debugging are not.
RESTARTED = ("containerStatuses", "initContainerStatuses")


def complaint_in(events: Iterable[Event], reason: str, since: str = "") -> str:
    """What the provider says last about a ShadowPod, for that reason; empty where nothing."""
    told = [each for each in events if each.reason == reason and _time(each) >= since]
    return max(told, key=_time).message if told else ""


def _time(event: Event) -> str:
    return event.last_timestamp or event.metadata.creation_timestamp or ""


def warned(local: Pod, reason: str, message: str) -> Record:
    return Record(local, reason, message, type="Warning", component=COMPONENT)


def not_offloaded(local: Pod, place: Place | None, site: Site) -> Record:
    if place is not None and place.keeps_pods:
        kept = (
            f'Namespace "{local.metadata.namespace}" is offloaded to cluster '
            f'"{site.provider}" without its pods: its podOffloadingStrategy is Local.'
        )
        return warned(local, "ReflectionDisabled", kept)
    disabled = (
        f'Reflection to cluster "{site.provider}" disabled for namespace '
        f'"{local.metadata.namespace}". Offload the namespace to run the pod there; pods of a '
        f"DaemonSet avoid virtual nodes with a node affinity on {labels.TYPE}=virtual-node."
    )
    return warned(local, "ReflectionDisabled", disabled)


def complained(words: str, site: Site) -> str:
    return f'cluster "{site.provider}": {words}'


def unreflected(words: str, site: Site) -> str:
    """As the wire has it, in Events about what could not go out."""
    return f"Error reflecting object to {complained(words, site)}"


def rejected(local: Pod, words: str, reason: str, site: Site, now: datetime) -> Iterator[Action]:
    """By the provider: its own words, and whose they are."""
    told = unreflected(words, site) if reason == FAILED else ""
    yield from refused(local, complained(words, site), reason, now, told)


def refused(
    local: Pod, message: str, reason: str, now: datetime, told: str = ""
) -> Iterator[Action]:
    """`told` is what the Event says, where that is worded otherwise."""
    yield warned(local, reason, told or message)
    if status := _refusal(local, message, reason, now):
        yield PatchStatus(local, status, form="strategic")


def _refusal(local: Pod, message: str, reason: str, now: datetime) -> JSON:
    """What ran before, and is not to be ended, runs nowhere as long as it is refused."""
    here, stays = local.status, local.metadata.deletion_timestamp is None
    changes = halted(here, reason, message, now) if stays else {}
    changes |= gone_out(local) if reason == FAILED_POD else {}
    condition: JSON = {"type": ACCEPTED, "status": "False", "reason": reason, "message": message}
    present = cast(list[JSON], here.get("conditions", []))
    if not any(_says(each, condition) for each in present):
        since = {**condition, "lastTransitionTime": timestamp(now)}
        changes["conditions"] = [since, *changes.get("conditions", ())]
    return changes


def halted(here: PodStatus, reason: str, words: str, now: datetime) -> JSON:
    """What changes in a status when the remote pod is gone and the next is refused (again)."""
    changes: JSON = {}
    if conditions := [*unready(here, now, reason), *_reworded(here, reason)]:
        changes["conditions"] = conditions
    for field in RESTARTED:
        shown = cast(JSON, here).get(field, [])
        waits = [_waiting(each, reason, words) for each in shown]
        if waits != shown:
            changes[field] = waits
    return changes


def _reworded(here: PodStatus, reason: str) -> Iterator[JSON]:
    """Conditions that say already that it is not ready, but not why."""
    for each in cast(JSON, here).get("conditions", ()):
        why = each.get("reason")
        if each["type"] in READINESS and why in {GOING, *REFUSALS} - {reason}:
            yield {**each, "reason": reason}


def _waiting(container: JSON, reason: str, words: str) -> JSON:
    state = container.get("state", {})
    if "running" not in state and state.get("waiting", {}).get("reason") not in REFUSALS:
        return container
    waits = {"waiting": {"reason": reason, "message": words}}
    return {**container, "ready": False, "started": False, "state": waits}


def gone_out(local: Pod) -> JSON:
    """What changes when its ShadowPod is there: it must not say any more that it stays.

    Who leaves waits for no pod that does.
    """
    return {"reason": None} if glance(local)[1] == BACK_OFF else {}


def _says(present: JSON, wanted: JSON) -> bool:
    return all(present.get(name) == value for name, value in wanted.items())
