"""A TCP proxy on loopback that can cut, hold back and refuse connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit


class Proxy:
    """Between a client and a server; `port` is where the client goes."""

    def __init__(self, server: str) -> None:
        address = urlsplit(server)
        self._host, self._port = address.hostname, address.port
        self._open: set[asyncio.StreamWriter] = set()
        self._flows = asyncio.Event()
        self._flows.set()
        self.port = 0
        self.connections = 0  # so far
        self.refuses = False  # new connections are ended at once

    def cut(self) -> None:
        """End every connection, in the middle of whatever it says."""
        for writer in self._open:
            writer.transport.abort()

    def hold(self) -> None:
        """From now on nothing gets through, and nobody is told: a paused server, a lost link."""
        self._flows.clear()

    def release(self) -> None:
        self._flows.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        if self.refuses:
            writer.transport.abort()
            return
        with suppress(OSError):
            behind, ahead = await asyncio.open_connection(self._host, self._port)
            self._open |= {writer, ahead}
            try:
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._copy(reader, ahead))
                    group.create_task(self._copy(behind, writer))
            finally:
                self._open -= {writer, ahead}
                ahead.close()
        writer.close()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while chunk := await reader.read(65536):
                await self._flows.wait()
                writer.write(chunk)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def proxy(server: str) -> AsyncIterator[Proxy]:
    made = Proxy(server)
    listening = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = listening.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        listening.close()
        made.release()
        made.cut()
