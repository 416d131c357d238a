"""How objects of one kind are asked for, and what their bytes become.

A decoded object owns its bytes: msgspec's Raw looks into the buffer it was read from, and would
keep a whole watch line, managedFields and all, alive with every cached pod.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

import msgspec
from msgspec.structs import force_setattr

from liqo.api.meta import JSON, Key, Kind, Resource
from liqo.kube.errors import ServerFault, Status, from_status

O = TypeVar("O", bound=Resource)  # noqa: E741 - an object, of whichever kind


class Metadata(Resource, frozen=True, kw_only=True, gc=False):
    """An object of which only the metadata was asked for."""


@dataclass(frozen=True)
class Reading(Generic[O]):
    kind: Kind
    model: type[O]

    @property
    def metadata_only(self) -> bool:
        return self.model is Metadata


def metadata(model: type[Resource]) -> Reading[Metadata]:
    """Only the metadata of a kind: `caches.of(metadata(Secret))`."""
    return Reading(model.KIND, Metadata)


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
        fields = msgspec.structs.fields(model)
        self._raw = tuple(field.name for field in fields if field.type is msgspec.Raw)

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
        for name in self._raw:
            # Nobody else has seen this object yet, so it is not frozen to us.
            force_setattr(decoded, name, getattr(decoded, name).copy())
        return decoded


def _unreadable(body: bytes | msgspec.Raw, reason: str, *, deleted: bool = False) -> Unreadable:
    try:
        at = _placed.decode(body).metadata
    except msgspec.ValidationError:
        at = _Place(name="?")
    return Unreadable(Key(at.namespace, at.name), at.resource_version, reason, deleted)


def encode(body: JSON | Sequence[JSON]) -> bytes:
    return msgspec.json.encode(body)
