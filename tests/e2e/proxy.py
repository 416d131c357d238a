"""A TCP proxy on loopback that cuts, refuses and delays what goes through it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from types import TracebackType

CHUNK = 64 * 1024


class Proxy:
    """`async with Proxy(port) as proxy:` connects `proxy.port` with that port."""

    def __init__(self, target: int) -> None:
        self.port = 0
        self.delay = 0.0  # seconds that each chunk of an answer is held back
        self.refuses = False  # new connections are closed at once
        self._target = target
        self._open: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Proxy:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()

    def cut(self) -> None:
        """Reset every connection there is."""
        for writer in self._open:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refuses:
            writer.transport.abort()
            return
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        self._open |= {writer, back}
        with suppress(OSError):
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._pipe(reader, back))
                tasks.create_task(self._pipe(there, writer, delayed=True))
        self._open -= {writer, back}

    async def _pipe(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, delayed: bool = False
    ) -> None:
        try:
            while chunk := await reader.read(CHUNK):
                if delayed and self.delay:
                    await asyncio.sleep(self.delay)
                writer.write(chunk)
                await writer.drain()
        except OSError:
            pass  # the other end is gone, and so is this one
        finally:
            writer.close()
