"""Pairs of connected ends, over real sockets of this machine."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from liqo.kubelet.api.splice import End


@asynccontextmanager
async def a_pair() -> AsyncIterator[tuple[End, End]]:
    one, other = socket.socketpair()
    ends = (
        End(*await asyncio.open_connection(sock=one)),
        End(*await asyncio.open_connection(sock=other)),
    )
    try:
        yield ends
    finally:
        for end in ends:
            end.writer.close()
