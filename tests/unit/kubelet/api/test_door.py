"""The first words of a connection."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest

from liqo.kubelet.api.door import Door
from liqo.kubelet.api.head import LONGEST
from liqo.kubelet.api.splice import End


@pytest.fixture
async def met() -> AsyncIterator[tuple[End, Door]]:
    """Who knocks, and the door."""
    one, other = socket.socketpair()
    loop = asyncio.get_running_loop()
    transport, door = await loop.create_connection(Door, sock=other)
    reader, writer = await asyncio.open_connection(sock=one)
    yield End(reader, writer), door
    writer.close()
    transport.close()


class Library(asyncio.Protocol):
    def __init__(self) -> None:
        self.read = b""
        self.transport: asyncio.BaseTransport | None = None
        self.whole = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.read += data
        if self.read.endswith(b"more"):
            self.whole.set()


async def test_a_head_may_come_in_pieces_and_the_rest_stays_for_who_opens(
    met: tuple[End, Door],
) -> None:
    visitor, door = met
    async with asyncio.timeout(10):
        for piece in (b"GET / HTTP/1.1\r\nHost: x\r", b"\n\r", b"\nbytes behind"):
            visitor.writer.write(piece)
            await asyncio.sleep(0)
        assert await door.head() == b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        end = door.open()
        assert await end.reader.readexactly(12) == b"bytes behind"
        visitor.writer.write(b"more")
        assert await end.reader.readexactly(4) == b"more"
        end.writer.write(b"answer")
        assert await visitor.reader.readexactly(6) == b"answer"
        end.writer.close()


async def test_a_library_sees_the_connection_from_its_first_byte(met: tuple[End, Door]) -> None:
    visitor, door = met
    library = Library()
    async with asyncio.timeout(10):
        visitor.writer.write(b"GET / HTTP/1.1\r\n\r\nbody")
        await door.head()
        door.leave_to(library)
        visitor.writer.write(b"more")
        await library.whole.wait()
    assert library.read == b"GET / HTTP/1.1\r\n\r\nbodymore"


async def test_words_without_end_are_no_head(met: tuple[End, Door]) -> None:
    visitor, door = met
    visitor.writer.write(b"x" * (LONGEST + 1))
    async with asyncio.timeout(10):
        with pytest.raises(ValueError, match="too long"):
            await door.head()


async def test_who_leaves_before_asking_or_before_the_answer(met: tuple[End, Door]) -> None:
    visitor, door = met
    visitor.writer.write(b"GET / HT")
    visitor.writer.close()
    async with asyncio.timeout(10):
        with pytest.raises(ConnectionResetError):
            await door.head()
    with pytest.raises(ConnectionResetError):
        door.leave_to(Library())
