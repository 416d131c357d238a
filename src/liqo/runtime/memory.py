"""What we wrote last, and whether it still stands: so a decision may be taken twice at no cost.

Kept are numbers, not objects: ten thousand bodies would be memory, secrets among them, and a long
pass of the garbage collector. So are the places of what was written, by their hashes: should two be
the same, what was sent there differs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import NamedTuple, TypeAlias, TypeVar

import msgspec
import orjson

from liqo.api.meta import Key, Kind, Resource
from liqo.kube.reading import Metadata
from liqo.runtime.plan import Side
from liqo.runtime.requests import Request, Verb

REMEMBERED = 20_000  # writes; a forgotten one costs one request that changes nothing
LATELY = 2_000  # removals: as many as the watches may be behind
TRUSTED = 300.0  # seconds that what no copy confirms is believed to be as we left it


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


Place: TypeAlias = tuple[Side, Kind, Key]
"""Where an object is, whoever writes to it."""

REMOVING: frozenset[Verb] = frozenset({"delete", "evict"})
CHANGES: tuple[tuple[Verb, str], ...] = tuple(product(("apply", "patch"), ("", "status")))
NEVER = float("-inf")
IN_SIGHT = frozenset({"apiVersion", "kind", "metadata"})  # of an object seen by its metadata

V = TypeVar("V")


class Written(NamedTuple):
    request: int  # digest of what was sent
    uid: str
    resource_version: str  # that the object had afterwards
    standing: int  # digest of the part of it that such a request can change
    at: float


class Memory:
    """The latest write of every slot; the oldest are forgotten first.

    Of what is gone only the removal is remembered, and not for long: pods come and go by thousands.
    """

    def __init__(self, size: int = REMEMBERED) -> None:
        self._size = size
        self._written: dict[int, Written] = {}  # by slot
        self._removals: dict[int, Written] = {}  # by slot
        self._removed: dict[int, float] = {}  # by place: when one of us last removed what was there

    def __len__(self) -> int:
        return len(self._written) + len(self._removals)

    def recall(self, slot: Slot) -> Written | None:
        """What was written before the object was removed says nothing about the next one."""
        if slot.verb in REMOVING:
            return self._removals.get(hash(slot))
        written = self._written.get(hash(slot))
        if written is None:
            return None
        return written if written.at > self._removed.get(hash(place(slot)), NEVER) else None

    def note(self, slot: Slot, written: Written) -> None:
        if slot.verb in REMOVING:
            lately = min(LATELY, self._size)
            _keep_newest(self._removals, hash(slot), written, lately)
            _keep_newest(self._removed, hash(place(slot)), written.at, lately)
            for verb, subresource in CHANGES:
                change = slot._replace(verb=verb, subresource=subresource)
                self._written.pop(hash(change), None)
        else:
            _keep_newest(self._written, hash(slot), written, self._size)


def _keep_newest(kept: dict[int, V], key: int, value: V, size: int) -> None:
    kept.pop(key, None)
    kept[key] = value
    if len(kept) > size:
        del kept[next(iter(kept))]


def place(slot: Slot) -> Place:
    return slot.on, slot.kind, slot.key


def slot_of(manager: str, request: Request) -> Slot:
    verb, on = request.verb, request.on
    return Slot(manager, verb, on, request.kind, request.key, request.subresource)


def digest(request: Request) -> int:
    return hash((orjson.dumps(request.body), request.form, request.uid, request.grace))


def standing(thing: Resource, request: Request) -> int:
    """Digest of what such a write can change: the status and marks, or all but the status.

    Finalizers are of those who hold an object; they count only for who writes them. Of what we see
    only the metadata, the version alone tells that the rest may have changed.
    """
    if isinstance(thing, Metadata) and not request.body.keys() <= IN_SIGHT:
        return hash(thing.metadata.resource_version)
    names = zip(thing.__struct_fields__, thing.__struct_encode_fields__, strict=True)
    parts = {on_the_wire: getattr(thing, name) for name, on_the_wire in names}
    status = parts.pop("status", None)
    if request.subresource == "status":
        marks = thing.metadata.labels, thing.metadata.annotations
        return hash(msgspec.json.encode((marks, status)))
    metadata = msgspec.structs.replace(thing.metadata, resource_version="")
    if "finalizers" not in request.body.get("metadata", {}):
        metadata = msgspec.structs.replace(metadata, finalizers=())
    parts["metadata"] = metadata
    return hash(msgspec.json.encode(parts))


def is_so(request: Request, last: Written | None, view: View, now: float) -> bool:
    """Whether sending this request would change nothing, as far as we can know."""
    if request.verb in REMOVING:
        newest = view.object if view is not None else None
        return _is_going(request, newest) or _was_sent(request, last, now)
    if last is None or last.request != digest(request):
        return False
    return _stands(request, last, view, now)


def _was_sent(request: Request, last: Written | None, now: float) -> bool:
    """What was deleted by uid stays so, whether our copy knows it yet or not.

    Not for ever: an API server that was restored from a backup has it again, uid and all.
    """
    if not request.uid or last is None or now - last.at >= TRUSTED:
        return False
    return last.request == digest(request)


def _is_going(request: Request, newest: Resource | None) -> bool:
    """It is being deleted already, and at least as soon as this request asks.

    What should be gone, and nobody holds, was left half deleted by a request that was cut off.
    """
    if newest is None or newest.metadata.deletion_timestamp is None:
        return False
    if request.uid not in ("", newest.metadata.uid):
        return False
    left = newest.metadata.deletion_grace_period_seconds or 0
    if not left and not newest.metadata.finalizers:
        return False
    return request.grace is None or left <= request.grace


def _stands(request: Request, last: Written, view: View, now: float) -> bool:
    if view is UNFOLLOWED:
        return now - last.at < TRUSTED
    newest = view.object
    if newest is None or newest.metadata.uid != last.uid:
        return False
    if newest.metadata.resource_version == last.resource_version:
        return True
    return standing(newest, request) == last.standing
