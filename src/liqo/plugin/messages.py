"""The messages of `resource_reader`, as bytes: three generations of one protocol of Liqo 0.x.

    generation | ReadResources answers
    -----------+---------------------------------------------------------------------------------
    first      | ReadResponse      {1: map from a name to a text}
    second     | ResourceList      {1: map from a name to a Quantity {1: text}}
    third      | PoolResourceList  {1: repeated ResourceList {1: such a map, 2: name, 3: prefix}}

Who is asked about is the same in all of them, field 1, and so are the names of the methods: nothing
tells before which generation will answer. But neither a resource nor a quantity begins with a line
feed, and a message whose first field is its field 1 always does: NESTED.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

SERVICE = "resource_reader"  # without a package
EVERYBODY = ""  # a notice about no consumer is one about all
NOBODY = b""  # the message without a field: Empty, SubscribeRequest

NESTED = b"\x0a"  # field 1, of a known length
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # kinds of fields; groups are in none of these
WIDTHS = {FIXED64: 8, FIXED32: 4}
LONGEST_VARINT = 10  # bytes

Pool: TypeAlias = dict[str, str]
"""From resources to amounts, as they were written: nobody has looked at them yet."""


def identity(consumer: str) -> bytes:
    """ReadRequest, RemoveRequest and ClusterIdentity alike."""
    text = consumer.encode()
    return NESTED + _varint(len(text)) + text


def consumer_of(notice: bytes) -> str:
    """Of a ClusterIdentity, or of the empty UpdateNotification of the first generation."""
    return _text(notice, 1)


def pools_of(answer: bytes) -> tuple[Pool, ...]:
    """Of any generation: before pools there was one. Otherwise a ValueError."""
    elements = [content for number, content in _fields(answer) if number == 1]
    if all(_is_pool(each) for each in elements):
        return tuple(
            _pool(content for number, content in _fields(each) if number == 1) for each in elements
        )
    return (_pool(elements),)


def _is_pool(element: bytes) -> bool:
    """An entry of a map always has a key; a pool that offers nothing has no entries."""
    inner = _last(element, 1)
    return inner is None or inner.startswith(NESTED)


def _pool(entries: Iterable[bytes]) -> Pool:
    return {_text(entry, 1): _amount(_last(entry, 2) or b"") for entry in entries}


def _amount(value: bytes) -> str:
    return _text(value, 1) if value.startswith(NESTED) else value.decode()


def _text(message: bytes, number: int) -> str:
    return (_last(message, number) or b"").decode()


def _last(message: bytes, wanted: int) -> bytes | None:
    """Of a field that is there twice, the last one counts."""
    found = [content for number, content in _fields(message) if number == wanted]
    return found[-1] if found else None


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Fields that have bytes, by their number; all others are passed over."""
    at = 0
    while at < len(message):
        tag, at = _read_varint(message, at)
        number, kind = tag >> 3, tag & 7
        if kind == BYTES:
            length, at = _read_varint(message, at)
            if at + length > len(message):
                raise ValueError("the message ends in the middle of a field")
            yield number, message[at : at + length]
            at += length
        elif kind == VARINT:
            _, at = _read_varint(message, at)
        elif kind in WIDTHS:
            at += WIDTHS[kind]
        else:
            raise ValueError("the message is not one of resource_reader")
    if at > len(message):
        raise ValueError("the message ends in the middle of a field")


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    """Seven bits a byte, the lowest first; and where it ends."""
    value = 0
    for position, byte in enumerate(message[at : at + LONGEST_VARINT]):
        value |= (byte & 0x7F) << (7 * position)
        if byte < 0x80:
            return value, at + position + 1
    raise ValueError("the message ends in the middle of a number")


def _varint(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)
