"""How objects of one kind are asked for, and what their bytes become.

A decoded object owns its bytes: msgspec's Raw looks into the buffer it was read from, and would
keep a whole watch line, managedFields and all, alive with every cached pod. But it shares what it
has in common with others: likeness.py.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar, get_args, get_origin

import msgspec
from msgspec.structs import force_setattr

from liqo.api.kubernetes import Decoded, undecoded
from liqo.api.meta import JSON, Key, Kind, Meta, Model, Resource
from liqo.kube.errors import ServerFault, Status, from_status
from liqo.kube.likeness import Likeness

ALIKE = frozenset({"raw_spec", "raw_pod", "raw_managed_fields"})  # the same in many objects

O = TypeVar("O", bound=Resource)  # noqa: E741 - an object, of whichever kind


class Metadata(Resource, frozen=True, kw_only=True, gc=False):
    """An object of which only the metadata was asked for."""


class ManagedMeta(Meta, frozen=True, gc=False):
    """With what the API server notes of who wrote which field; decoded when somebody asks."""

    raw_managed_fields: msgspec.Raw = undecoded("managedFields")

    managed_fields = Decoded[list[JSON]]("raw_managed_fields", empty=b"[]")


class Managed(Metadata, frozen=True, kw_only=True, gc=False):
    """The same, with who wrote it."""

    metadata: ManagedMeta = ManagedMeta()


@dataclass(frozen=True)
class Reading(Generic[O]):
    kind: Kind
    model: type[O]
    is_news: Callable[[O], bool] | None = None  # what a copy keeps for a moment only: fading.py

    @property
    def metadata_only(self) -> bool:
        return issubclass(self.model, Metadata)


def metadata(model: type[Resource]) -> Reading[Metadata]:
    """Only the metadata of a kind: `caches.of(metadata(Secret))`."""
    return Reading(model.KIND, Metadata)


def managed(model: type[Resource]) -> Reading[Managed]:
    return Reading(model.KIND, Managed)


def reading(kind: type[O] | Reading[O]) -> Reading[O]:
    return kind if isinstance(kind, Reading) else Reading(kind.KIND, kind)


class Event(msgspec.Struct, Generic[O], frozen=True, gc=False):
    """One change, as the API server tells it."""

    type: Literal["ADDED", "MODIFIED", "DELETED"]
    object: O


@dataclass(frozen=True)
class Bookmark:
    """Nothing happened up to here: where to resume."""

    resource_version: str


@dataclass(frozen=True)
class Unreadable:
    """An object that is not as its kind should be; to us it is not there."""

    key: Key
    resource_version: str
    reason: str
    deleted: bool = False


Change: TypeAlias = Event[O] | Bookmark | Unreadable


class _Envelope(msgspec.Struct):
    type: str
    object: msgspec.Raw


class _Place(msgspec.Struct, rename="camel"):
    name: str = ""
    namespace: str = ""
    resource_version: str = ""


class _Placed(msgspec.Struct):
    metadata: _Place


_envelope = msgspec.json.Decoder(_Envelope)
_placed = msgspec.json.Decoder(_Placed)
_status = msgspec.json.Decoder(Status)


class Codec(Generic[O]):
    """From bytes to objects of one model."""

    def __init__(self, model: type[O]) -> None:
        self._object = msgspec.json.Decoder(model)
        self._event: msgspec.json.Decoder[Event[O]] = msgspec.json.Decoder(
            types.GenericAlias(Event, (model,))
        )
        self._raw = tuple(_raw_fields(model))
        self._likeness = Likeness()

    def object(self, body: bytes | msgspec.Raw) -> O:
        return self._owning(self._object.decode(body))

    def object_or_reason(self, body: bytes | msgspec.Raw) -> O | Unreadable:
        try:
            return self.object(body)
        except msgspec.ValidationError as wrong:
            return _unreadable(body, str(wrong))

    def change(self, line: bytes, *, where: str) -> Change[O]:
        """What one line of a watch says; an ERROR line is raised."""
        try:
            event = self._event.decode(line)
        except msgspec.ValidationError:
            return self._other(_envelope.decode(line), where)
        self._owning(event.object)
        return event

    def _other(self, told: _Envelope, where: str) -> Change[O]:
        if told.type == "ERROR":
            status = _status.decode(told.object)
            raise from_status(status, status.code or 500, where=where)
        if told.type == "BOOKMARK":
            return Bookmark(_placed.decode(told.object).metadata.resource_version)
        try:
            self._object.decode(told.object)
        except msgspec.ValidationError as wrong:
            return _unreadable(told.object, str(wrong), deleted=told.type == "DELETED")
        raise ServerFault(f"{where}: a watch told of something {told.type}")

    def _owning(self, decoded: O) -> O:
        for *parents, name, absent in self._raw:
            holder: Any = decoded
            for parent in parents:
                holder = getattr(holder, parent)
            raw = getattr(holder, name)
            if raw is not absent:
                # Nobody else has seen this object yet, so it is not frozen to us.
                force_setattr(holder, name, self._own(name, raw))
        self._likeness.share(decoded.metadata)
        return decoded

    def _own(self, name: str, raw: msgspec.Raw) -> msgspec.Raw:
        return self._likeness.raw(raw) if name in ALIKE else raw.copy()


def _raw_fields(model: type[Model]) -> Iterator[tuple[Any, ...]]:
    """For each undecoded field: the names that lead to it, and what stands there by default."""
    for field in msgspec.structs.fields(model):
        of_type = get_args(field.type)[0] if get_origin(field.type) is Annotated else field.type
        if of_type is msgspec.Raw:
            yield field.name, field.default
        elif isinstance(of_type, type) and issubclass(of_type, Model):
            for inner in _raw_fields(of_type):
                yield field.name, *inner


def _unreadable(body: bytes | msgspec.Raw, reason: str, *, deleted: bool = False) -> Unreadable:
    try:
        at = _placed.decode(body).metadata
    except msgspec.ValidationError:
        at = _Place(name="?")
    return Unreadable(Key(at.namespace, at.name), at.resource_version, reason, deleted)


def encode(body: JSON | Sequence[JSON]) -> bytes:
    return msgspec.json.encode(body)
