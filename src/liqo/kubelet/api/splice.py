"""Two connections become one: what comes from either end goes to the other, byte by byte.

A reader that is slow slows the writer down, and nothing is kept for it but what fits a buffer. When
one end leaves, the other is told, and so is the process that ran behind it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from liqo.kube.keepalive import is_deserted

BUFFER = 512 * 1024  # bytes that wait for a slow reader, until the other end waits for it, too
LOOK = 10.0  # seconds between two looks whether the machines at both ends are there


@dataclass(frozen=True)
class End:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def is_deserted(self) -> bool:
        made = self.writer.get_extra_info("socket")
        return made is not None and is_deserted(made)


async def splice(here: End, there: End, idle: float) -> None:
    """Until one end leaves, or neither says anything for so many seconds; then both are closed.

    What an end has said before it left still arrives. A machine that is cut off leaves, too.
    """
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    try:
        async with asyncio.timeout(idle) as patience:
            wake = Wake(lambda: patience.reschedule(loop.time() + idle), ended.set)
            client, provider = Half(here, wake, is_client=True), Half(there, wake)
            await client.lead_to(provider)
            await provider.lead_to(client)
            while not (ended.is_set() or here.is_deserted or there.is_deserted):
                await passes(LOOK, unless=ended)
    except OSError:
        pass  # a time-out is one, too; and an end may be broken before we begin
    finally:
        here.writer.close()
        there.writer.close()


async def passes(seconds: float, unless: asyncio.Event) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await unless.wait()


@dataclass(frozen=True)
class Wake:
    """Whom to tell that something was said, and that an end has left."""

    alive: Callable[[], None]
    ended: Callable[[], None]


class Half(asyncio.Protocol):
    """One of two ends. It keeps nothing back: what was read is on its way when an end breaks.

    A client that does not keep up is not heard, either. What it says to a provider that has closed
    is answered by TCP with a reset, and a reset takes along all that we have not read yet.
    """

    def __init__(self, end: End, wake: Wake, *, is_client: bool = False) -> None:
        self._end = end
        self._wake = wake
        self._is_client = is_client
        self._transport = cast(asyncio.Transport, end.writer.transport)
        self._other: Half | None = None

    async def lead_to(self, other: Half) -> None:
        """From now on; and what its reader has read ahead."""
        self._other = other
        self._transport.set_write_buffer_limits(BUFFER)
        self._transport.set_protocol(self)
        self._end.reader.feed_eof()
        if early := await self._end.reader.read():
            self.data_received(early)
        if self._transport.is_closing():
            self._wake.ended()

    def data_received(self, received: bytes) -> None:
        self._wake.alive()
        if self._other is not None:
            self._other.write(received)

    def write(self, received: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(received)

    def hold(self, held: bool) -> None:
        if self._transport.is_closing():
            return
        if held:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def pause_writing(self) -> None:
        self._hold(True)

    def resume_writing(self) -> None:
        self._hold(False)

    def _hold(self, held: bool) -> None:
        if self._other is not None:
            self._other.hold(held)
        if self._is_client:
            self.hold(held)

    def eof_received(self) -> None:
        self._wake.ended()

    def connection_lost(self, _: Exception | None) -> None:
        self._wake.ended()
