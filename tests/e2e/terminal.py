"""A terminal of its own for kubectl, or any program; its size changes."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import signal
import struct
import termios
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from liqo.playground.cluster import Site
from tests.e2e.kubectl import SOON, command


@dataclass
class Terminal:
    process: asyncio.subprocess.Process
    ours: int  # the end that a person sits at
    said: bytes = b""

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process.send_signal(signal.SIGWINCH)

    def type(self, words: str) -> None:
        os.write(self.ours, words.encode())

    async def shows(self, words: str) -> None:
        async with asyncio.timeout(SOON):
            while words.encode() not in self.said:
                self.said += await asyncio.to_thread(os.read, self.ours, 4096)

    async def ends(self) -> int:
        async with asyncio.timeout(SOON):
            return await self.process.wait()


@asynccontextmanager
async def on_a_terminal(
    site: Site, *words: str, environment: Mapping[str, str] | None = None
) -> AsyncIterator[Terminal]:
    known = {**os.environ, **(environment or {})}
    async with a_terminal(*command(site, *words), env=known) as terminal:
        yield terminal


@asynccontextmanager
async def a_terminal(*words: str, columns: int = 80, **settings: Any) -> AsyncIterator[Terminal]:
    """Any program; `settings` are those of a subprocess."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = await asyncio.create_subprocess_exec(
        *words, stdin=theirs, stdout=theirs, stderr=theirs, **settings
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        os.close(ours)
