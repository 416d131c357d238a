"""What we wrote last, and whether it still stands: so a decision may be taken twice at no cost.

Kept are numbers, not objects: ten thousand bodies would be memory, secrets among them, and a long
pass of the garbage collector.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import msgspec
import orjson

from liqo.api.meta import Key, Kind, Resource
from liqo.runtime.plan import Side
from liqo.runtime.requests import Request, Verb

REMEMBERED = 20_000  # writes; a forgotten one costs one request that changes nothing
TRUSTED = 300.0  # seconds that an object which no cache follows is believed to stand as we left it


@dataclass(frozen=True)
class Followed:
    """What our caches say of an object: this copy, or that there is none."""

    object: Resource | None


UNFOLLOWED = None
"""No cache of ours holds objects of this kind and namespace."""

View: TypeAlias = Followed | None


class Slot(NamedTuple):
    """Two writes with one slot are about the same fields; the later one is what we want now."""

    manager: str
    verb: Verb
    on: Side
    kind: Kind
    key: Key
    subresource: str


class Written(NamedTuple):
    request: int  # digest of what was sent
    uid: str
    resource_version: str  # that the object had afterwards
    standing: int  # digest of the part of it that such a request can change
    at: float


class Memory:
    """The latest write of every slot; the oldest are forgotten first."""

    def __init__(self, size: int = REMEMBERED) -> None:
        self._size = size
        self._written: dict[Slot, Written] = {}

    def recall(self, slot: Slot) -> Written | None:
        return self._written.get(slot)

    def note(self, slot: Slot, written: Written) -> None:
        self._written.pop(slot, None)
        self._written[slot] = written
        if len(self._written) > self._size:
            del self._written[next(iter(self._written))]


def slot_of(manager: str, request: Request) -> Slot:
    verb, on = request.verb, request.on
    return Slot(manager, verb, on, request.kind, request.key, request.subresource)


def digest(request: Request) -> int:
    return hash((orjson.dumps(request.body), request.form, request.uid, request.grace))


def standing(thing: Resource, subresource: str) -> int:
    """Digest of what such a write can change: the status and labels, or all but the status."""
    names = zip(thing.__struct_fields__, thing.__struct_encode_fields__, strict=True)
    parts = {on_the_wire: getattr(thing, name) for name, on_the_wire in names}
    status = parts.pop("status", None)
    if subresource == "status":
        return hash(msgspec.json.encode((thing.metadata.labels, status)))
    parts["metadata"] = msgspec.structs.replace(thing.metadata, resource_version="")
    return hash(msgspec.json.encode(parts))


def is_so(request: Request, last: Written | None, view: View, now: float) -> bool:
    """Whether sending this request would change nothing, as far as we can know."""
    newest = view.object if view is not None else None
    if request.verb == "create":
        return newest is not None
    if request.verb in ("delete", "evict"):
        return _is_going(request, newest) or _was_sent(request, last)
    if last is None or last.request != digest(request):
        return False
    return _stands(request, last, view, now)


def _was_sent(request: Request, last: Written | None) -> bool:
    """What was deleted by uid stays so, whether our copy knows it yet or not."""
    return bool(request.uid) and last is not None and last.request == digest(request)


def _is_going(request: Request, newest: Resource | None) -> bool:
    """It is being deleted already, and at least as soon as this request asks."""
    if newest is None or newest.metadata.deletion_timestamp is None:
        return False
    if request.uid not in ("", newest.metadata.uid):
        return False
    left = newest.metadata.deletion_grace_period_seconds or 0
    return request.grace is None or left <= request.grace


def _stands(request: Request, last: Written, view: View, now: float) -> bool:
    if view is UNFOLLOWED:
        return now - last.at < TRUSTED
    newest = view.object
    if newest is None or newest.metadata.uid != last.uid:
        return False
    if newest.metadata.resource_version == last.resource_version:
        return True
    return standing(newest, request.subresource) == last.standing
