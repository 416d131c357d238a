"""Kubernetes Events: what people read in `kubectl describe`, without drowning anybody in them.

The same sentence about the same object is one Event. Said again within ten minutes, nothing is
sent; later its count goes up; after an hour the API server has dropped it and it is made anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from liqo.api.meta import Key, Kind
from liqo.runtime.clock import timestamp
from liqo.runtime.plan import Record
from liqo.runtime.requests import Request

EVENT = Kind("", "v1", "Event", "events")
SILENCE = timedelta(minutes=10)
LIFETIME = timedelta(minutes=55)  # the API server's default is an hour; better too many than lost
REMEMBERED = 4096  # sentences; a forgotten one is told as if it were new


@dataclass(frozen=True)
class Told:
    """A sentence that was told: by which Event, how often, and when last."""

    event: Key
    count: int
    at: datetime


class Sentences:
    """What was told lately, the oldest forgotten first."""

    def __init__(self, size: int = REMEMBERED) -> None:
        self._size = size
        self._told: dict[int, Told] = {}

    def told(self, sentence: int) -> Told | None:
        return self._told.get(sentence)

    def note(self, sentence: int, told: Told) -> None:
        self._told.pop(sentence, None)
        self._told[sentence] = told
        if len(self._told) > self._size:
            del self._told[next(iter(self._told))]

    def forget(self, sentence: int) -> None:
        self._told.pop(sentence, None)


def sentence(record: Record) -> int:
    about = record.about.metadata
    return hash((about.uid or about.name, about.namespace, record.reason, record.message))


def telling(record: Record, told: Told | None, reporter: str, now: datetime) -> Request | None:
    """The request that tells it; None where it was told a moment ago."""
    if told is None or now - told.at >= LIFETIME:
        return _new(record, reporter, now)
    if now - told.at < SILENCE:
        return None
    again = {"count": told.count + 1, "lastTimestamp": timestamp(now)}
    return Request("patch", record.on, EVENT, told.event, again)


def _new(record: Record, reporter: str, now: datetime) -> Request:
    about = record.about
    namespace = about.metadata.namespace or "default"  # where those of cluster-wide objects live
    key = Key(namespace, f"{about.metadata.name}.{int(now.timestamp() * 1e6):x}")
    body = {
        "apiVersion": EVENT.api_version,
        "kind": EVENT.name,
        "metadata": {"name": key.name, "namespace": key.namespace},
        "involvedObject": {
            "apiVersion": about.KIND.api_version,
            "kind": about.KIND.name,
            "namespace": about.metadata.namespace,
            "name": about.metadata.name,
            "uid": about.metadata.uid,
        },
        "type": record.type,
        "reason": record.reason,
        "message": record.message[:1024],  # the API server refuses longer ones
        "source": {"component": record.component or reporter},
        "firstTimestamp": timestamp(now),
        "lastTimestamp": timestamp(now),
        "count": 1,
    }
    return Request("create", record.on, EVENT, key, body)
