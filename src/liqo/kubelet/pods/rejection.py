"""What a provider does not want, told to the owner of the pod: an Event, and a condition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import cast

from liqo.api.kubernetes import Event, Pod
from liqo.api.meta import JSON
from liqo.kubelet.pods.status import ACCEPTED
from liqo.kubelet.site import Site
from liqo.runtime.clock import timestamp
from liqo.runtime.plan import Action, PatchStatus, Record

COMPONENT = "liqo-pod-reflection"  # who tells it, as dashboards know it
FAILED = "FailedReflection"  # we could not make the ShadowPod, or not change it
FAILED_POD = "FailedCreatePod"  # the provider could not make a pod of it …
FAILED_UPDATE = "FailedUpdatePod"  # … or not change the one that runs


def complaint_in(events: Iterable[Event], reason: str, since: str = "") -> str:
    """What the provider says last about a ShadowPod, for that reason; empty where nothing."""
    told = [each for each in events if each.reason == reason and _time(each) >= since]
    return max(told, key=_time).message if told else ""


def _time(event: Event) -> str:
    return event.last_timestamp or event.metadata.creation_timestamp or ""


def warned(local: Pod, reason: str, message: str) -> Record:
    return Record(local, reason, message, type="Warning", component=COMPONENT)


def complained(words: str, site: Site) -> str:
    return f'cluster "{site.provider}": {words}'


def rejected(local: Pod, words: str, reason: str, site: Site, now: datetime) -> Iterator[Action]:
    """The provider's own words, and whose they are."""
    message = complained(words, site)
    yield warned(local, reason, message)
    condition: JSON = {"type": ACCEPTED, "status": "False", "reason": reason, "message": message}
    present = cast(list[JSON], local.status.get("conditions", []))
    if not any(_says(each, condition) for each in present):
        since = {**condition, "lastTransitionTime": timestamp(now)}
        yield PatchStatus(local, {"conditions": [since]}, form="strategic")


def _says(present: JSON, wanted: JSON) -> bool:
    return all(present.get(name) == value for name, value in wanted.items())
