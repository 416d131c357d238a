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

from liqo.api.meta import JSON, Key, Kind, Meta, Resource
from liqo.kube.errors import Status, from_status

O = TypeVar("O", bound=Resource)  # noqa: E741 - an object, of whichever kind


class Metadata(Resource, frozen=True, gc=False):
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


Change: TypeAlias = Event[O] | Bookmark | Unreadable


class _Envelope(msgspec.Struct):
    type: str
    object: msgspec.Raw


class _Position(msgspec.Struct):
    metadata: Meta


_envelope = msgspec.json.Decoder(_Envelope)
_position = msgspec.json.Decoder(_Position)
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
            return _unreadable(body, wrong)

    def change(self, line: bytes, *, where: str) -> Change[O]:
        """What one line of a watch says; an ERROR line is raised."""
        try:
            event = self._event.decode(line)
        except msgspec.ValidationError as wrong:
            return _other(line, wrong, where)
        self._owning(event.object)
        return event

    def _owning(self, decoded: O) -> O:
        for name in self._raw:
            # Nobody else has seen this object yet, so it is not frozen to us.
            force_setattr(decoded, name, getattr(decoded, name).copy())
        return decoded


def _other(line: bytes, wrong: msgspec.ValidationError, where: str) -> Bookmark | Unreadable:
    envelope = _envelope.decode(line)
    if envelope.type == "ERROR":
        status = _status.decode(envelope.object)
        raise from_status(status, status.code or 500, where=where)
    if envelope.type == "BOOKMARK":
        return Bookmark(_position.decode(envelope.object).metadata.resource_version)
    return _unreadable(envelope.object, wrong)


def _unreadable(body: bytes | msgspec.Raw, wrong: msgspec.ValidationError) -> Unreadable:
    try:
        at = _position.decode(body).metadata
    except msgspec.ValidationError:
        at = Meta(name="?")
    return Unreadable(Key(at.namespace, at.name), at.resource_version, str(wrong))


def encode(body: JSON | Sequence[JSON]) -> bytes:
    return msgspec.json.encode(body)
