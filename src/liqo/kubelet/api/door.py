"""The first words of a connection: enough to see who must go on with it.

An HTTP library reads ahead, and what it has read of an upgraded connection is lost to us. So the
head of the first request is read here, and only then it is decided whose connection this is.
"""

from __future__ import annotations

import asyncio
from typing import cast

from liqo.kubelet.api.head import END, LONGEST
from liqo.kubelet.api.splice import End


class Door(asyncio.Protocol):
    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._read = bytearray()
        self._length: asyncio.Future[int] = self._loop.create_future()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, received: bytes) -> None:
        start = max(0, len(self._read) - len(END) + 1)
        self._read += received
        if self._length.done() or self._transport is None:
            return
        found = self._read.find(END, start)
        if found >= 0:
            self._transport.pause_reading()  # until it is clear who reads on
            self._length.set_result(found + len(END))
        elif len(self._read) > LONGEST:
            self._transport.pause_reading()
            self._length.set_exception(ValueError("too long"))

    def connection_lost(self, _: Exception | None) -> None:
        self._transport = None
        if not self._length.done():
            self._length.set_exception(ConnectionResetError("it left before it had asked"))

    async def head(self) -> bytes:
        """ValueError where there is none in so many bytes; OSError where the other end left."""
        return bytes(self._read[: await self._length])

    def leave_to(self, other: asyncio.Protocol) -> None:
        """All of it, from its first byte on."""
        self._hand_over(other, 0)

    def open(self) -> End:
        """Both directions, behind the head."""
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        transport = self._hand_over(protocol, self._length.result())
        return End(reader, asyncio.StreamWriter(transport, protocol, reader, self._loop))

    def _hand_over(self, other: asyncio.Protocol, start: int) -> asyncio.Transport:
        if self._transport is None:
            raise ConnectionResetError("it left before it was answered")
        self._transport.set_protocol(other)
        other.connection_made(self._transport)
        if len(self._read) > start:
            other.data_received(bytes(self._read[start:]))
        self._transport.resume_reading()
        return self._transport
