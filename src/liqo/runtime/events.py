"""Kubernetes Events: what people read in `kubectl describe`, without drowning anybody in them.

The same sentence about the same object is one Event. Said again within ten minutes, nothing is
sent; later its count goes up; after an hour the API server has dropped it and it is made anew.

What repeats an Event of the other cluster has its name, so that nobody tells it twice, also after a
restart; and it is told again whenever the count has doubled.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from liqo.api.meta import JSON, Key, Kind
from liqo.rules import names
from liqo.runtime.clock import timestamp
from liqo.runtime.plan import Occurrence, Record
from liqo.runtime.requests import Request

EVENT = Kind("", "v1", "Event", "events")
SILENCE = timedelta(minutes=10)
LIFETIME = timedelta(minutes=55)  # the API server's default is an hour; better too many than lost
REMEMBERED = 20_000  # sentences: one of each pod that fails; a forgotten one is told as if new


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
    about, again = record.about.metadata, record.repeats
    said = again.event if again is not None else (record.reason, record.message)
    return hash((about.uid or about.name, about.namespace, said))


def count_of(record: Record, told: Told | None) -> int:
    """How often it was said, with this one."""
    if record.repeats is not None:
        return record.repeats.count
    return told.count + 1 if told is not None else 1


def telling(record: Record, told: Told | None, reporter: str, now: datetime) -> Request | None:
    """The request that tells it; None where it was told a moment ago."""
    if told is None or now - told.at >= LIFETIME:
        return _new(record, reporter, now)
    if not _is_due(record, told, now):
        return None
    last = record.repeats.last if record.repeats is not None else timestamp(now)
    again = {"count": count_of(record, told), "lastTimestamp": last}
    return Request("patch", record.on, EVENT, told.event, again)


def _is_due(record: Record, told: Told, now: datetime) -> bool:
    if record.repeats is not None:
        return record.repeats.count >= 2 * told.count
    return now - told.at >= SILENCE


def _new(record: Record, reporter: str, now: datetime) -> Request:
    if record.repeats is not None:
        return _repeated(record, record.repeats)
    about = record.about
    namespace = about.metadata.namespace or "default"  # where those of cluster-wide objects live
    moment = f".{int(now.timestamp() * 1e6):x}"
    subject = names.shortened(about.metadata.name, names.NAME - len(moment))
    key = Key(namespace, f"{subject}{moment}")
    body = {
        **_body(record, key),
        "source": {"component": record.component or reporter},
        "firstTimestamp": timestamp(now),
        "lastTimestamp": timestamp(now),
        "count": 1,
    }
    return Request("create", record.on, EVENT, key, body)


def _repeated(record: Record, again: Occurrence) -> Request:
    key = Key(record.about.metadata.namespace, again.event)
    body = _body(record, key)
    if again.field_path:
        body["involvedObject"]["fieldPath"] = again.field_path
    body |= {
        "metadata": {**body["metadata"], "labels": dict(again.labels)},
        "source": {"component": record.component, "host": again.host},
        "firstTimestamp": again.first,
        "lastTimestamp": again.last,
        "count": again.count,
    }
    return Request("create", record.on, EVENT, key, body)


def _body(record: Record, key: Key) -> JSON:
    about = record.about
    return {
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
    }
