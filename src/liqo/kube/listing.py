"""A list, decoded while it arrives: ten thousand pods must not stop the event loop.

The array of items is cut at every place that looks like the border of two items. Within a string
quotes are escaped, so such a place is real JSON; it may still lie inside an item (a list of
templates looks the same). A piece cut there is not whole, and waits for the next one; its braces
are counted, so that an object made of nothing but such places costs no more than any other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Generic

import msgspec

from liqo.kube.reading import Codec, O, Unreadable

_ITEMS = b'"items":['
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
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
        self._rest = b""  # begins with the item that no border has ended yet
        self._looked = 0  # up to where the rest was searched for borders
        self._counted = 0  # up to where its braces were counted
        self._depth = 0  # braces still open there; 0: it was not cut in its middle

    def feed(self, chunk: bytes) -> None:
        self._rest += chunk
        if not self._border and not self._find_border():
            return
        start = 0
        while (border := self._rest.find(self._border, self._looked)) >= 0:
            self._looked = border + 2
            if self._take(start, border + 1):
                start = self._looked
        self._rest = self._rest[start:]
        self._looked = max(0, len(self._rest) - len(self._border) + 1)
        self._counted -= start

    def finish(self) -> Listing[O]:
        end = self._rest.rfind(b"]") if self._head else -1
        is_empty = end >= 0 and not self._rest[:end].strip()
        if end >= 0 and (is_empty or self._take(0, end)):
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

    def _take(self, start: int, end: int) -> bool:
        """Decode the item that stands there; False when it does not end there."""
        if self._depth:
            self._depth += _balance(self._rest[self._counted : end])
            self._counted = end
            if self._depth:
                return False
        piece = self._rest[start:end]
        try:
            self._put(self._codec.object(piece))
        except msgspec.DecodeError:
            if not _is_json(piece):
                self._depth, self._counted = _balance(piece), end
                return False
            self._put(self._codec.object_or_reason(piece))
        return True

    def _put(self, item: O | Unreadable) -> None:
        if isinstance(item, Unreadable):
            self._unreadable.append(item)
        else:
            self._items.append(item)


def _balance(piece: bytes) -> int:
    """Braces that the piece opens and does not close."""
    bare = _STRING.sub(b"", piece)
    return bare.count(b"{") - bare.count(b"}")


def _is_json(piece: bytes) -> bool:
    try:
        msgspec.json.decode(piece, type=msgspec.Raw)
    except msgspec.DecodeError:
        return False
    return True
