"""Opening: pods of a namespace are reviewed from now on. A label says so; a note says since when.

What is known of its NamespaceOffloading may be older than the label, as long as the note is fresh.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from liqo.api import labels
from liqo.api.meta import JSON, Resource
from liqo.api.offloading import PodStrategy

TOGETHER = timedelta(seconds=3)  # created by one command, also where that is slow
SINCE = " since "  # the note: Remote since 2026-11-16T12:00:00Z
WRITTEN = "%Y-%m-%dT%H:%M:%S%z"


def opened(strategy: PodStrategy, now: datetime) -> JSON:
    """As a change of the metadata of the namespace."""
    note = f"{strategy}{SINCE}{now:%Y-%m-%dT%H:%M:%SZ}"
    return {"labels": {labels.SCHEDULING_ENABLED: "true"}, "annotations": {labels.OPENED: note}}


SETTLED: JSON = {"annotations": {labels.OPENED: None}}
CLOSED: JSON = {"labels": {labels.SCHEDULING_ENABLED: None}, **SETTLED}


def created(thing: Resource) -> datetime:
    return datetime.fromisoformat(thing.metadata.creation_timestamp or "1970-01-01T00:00:00Z")


def is_open(namespace: Resource) -> bool:
    return labels.SCHEDULING_ENABLED in namespace.metadata.labels


def strategy_of(namespace: Resource) -> str:
    """For which it was opened, while that is fresh."""
    return _note(namespace)[0]


def opened_at(namespace: Resource) -> datetime | None:
    """Who opens it by hand does not say when."""
    try:
        return datetime.strptime(_note(namespace)[1], WRITTEN)
    except ValueError:
        return None


def _note(namespace: Resource) -> tuple[str, str]:
    strategy, _, since = namespace.metadata.annotations.get(labels.OPENED, "").partition(SINCE)
    return strategy, since
