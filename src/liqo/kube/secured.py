"""TLS over a connection that is there already, as asyncio itself does it.

The event loop of our programs has TLS of its own, which is quicker and forgets what it has received
if the other end closes while we are not reading. A stream that is read at its reader's pace would
lose its end that way.
"""

from __future__ import annotations

import asyncio
import ssl
from asyncio.sslproto import SSLProtocol


class _Streams(asyncio.StreamReaderProtocol):
    """Both directions, once TLS is agreed upon."""

    def __init__(self, beneath: asyncio.StreamWriter) -> None:
        self.beneath = beneath  # a writer that nobody holds closes its connection
        self.reader = asyncio.StreamReader()
        self.transport: asyncio.Transport | None = None
        super().__init__(self.reader)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        super().connection_made(transport)


async def secured(
    beneath: asyncio.StreamWriter, tls: ssl.SSLContext, name: str
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """As a client of the server of that name; nothing may have been received yet."""
    loop = asyncio.get_running_loop()
    agreed: asyncio.Future[None] = loop.create_future()
    streams, bare = _Streams(beneath), beneath.transport
    layer = SSLProtocol(loop, streams, tls, agreed, server_side=False, server_hostname=name)
    bare.set_protocol(layer)
    layer.connection_made(bare)
    try:
        await agreed
    except BaseException:
        bare.abort()
        raise
    assert streams.transport is not None
    writer = asyncio.StreamWriter(streams.transport, streams, streams.reader, loop)
    return streams.reader, writer
