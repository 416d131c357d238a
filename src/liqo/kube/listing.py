"""A list, decoded while it arrives: ten thousand pods must not stop the event loop.

The array of items is cut at every place that looks like the border of two items. Within a string
quotes are escaped, so such a place is real JSON; it may still lie inside an item (a list of
templates looks the same). A piece cut there is not whole JSON, and waits for the next piece.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic

import msgspec

from liqo.kube.reading import Codec, O, Unreadable

_ITEMS = b'"items":['
_BORDER_LENGTH = 12  # "},{" and the first name in the item: '},{"metadata' or '},{"apiVersi'


class _ListMeta(msgspec.Struct, rename="camel"):
    resource_version: str = ""


class _Whole(msgspec.Struct):
    metadata: _ListMeta
    items: list[msgspec.Raw] | None = None


_whole = msgspec.json.Decoder(_Whole)


@dataclass(frozen=True)
class Listing(Generic[O]):
    items: list[O]
    resource_version: str
    unreadable: list[Unreadable] = field(default_factory=list)


class ListReader(Generic[O]):
    """Feed it the chunks of a list's answer, then finish it."""

    def __init__(self, codec: Codec[O]) -> None:
        self._codec = codec
        self._items: list[O] = []
        self._unreadable: list[Unreadable] = []
        self._head = b""  # up to and with the opening of the array
        self._border = b""
        self._rest = b""  # what no border has ended yet
        self._looked = 0  # up to where the rest was searched

    def feed(self, chunk: bytes) -> None:
        self._rest += chunk
        if not self._border and not self._find_border():
            return
        start = 0
        while (end := self._rest.find(self._border, max(start, self._looked))) >= 0:
            if self._take(self._rest[start : end + 1]):
                start = end + 2
            self._looked = end + 2
        self._rest = self._rest[start:]
        self._looked = max(0, len(self._rest) - len(self._border) + 1)

    def finish(self) -> Listing[O]:
        end = self._rest.rfind(b"]") if self._head else -1
        last = self._rest[:end].strip() if end >= 0 else b""
        if self._head and (not last or self._take(last)):
            whole = _whole.decode(self._head + self._rest[end:])
        else:  # written in a way we do not know: all at once, then
            whole = _whole.decode(self._head + self._rest)
            for item in whole.items or ():
                self._put(self._codec.object_or_reason(item))
        return Listing(self._items, whole.metadata.resource_version, self._unreadable)

    def _find_border(self) -> bool:
        if not self._head:
            at = self._rest.find(_ITEMS)
            if at < 0:
                return False
            self._head = self._rest[: at + len(_ITEMS)]
            self._rest = self._rest[at + len(_ITEMS) :]
        if len(self._rest) < _BORDER_LENGTH:
            return False
        self._border = b"}," + self._rest[: _BORDER_LENGTH - 2]
        return True

    def _take(self, piece: bytes) -> bool:
        """False when the piece is not a whole item."""
        try:
            self._put(self._codec.object(piece))
        except msgspec.DecodeError:
            if not _is_json(piece):
                return False
            self._put(self._codec.object_or_reason(piece))
        return True

    def _put(self, item: O | Unreadable) -> None:
        if isinstance(item, Unreadable):
            self._unreadable.append(item)
        else:
            self._items.append(item)


def _is_json(piece: bytes) -> bool:
    try:
        msgspec.json.decode(piece, type=msgspec.Raw)
    except msgspec.DecodeError:
        return False
    return True
