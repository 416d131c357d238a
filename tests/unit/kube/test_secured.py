"""TLS that keeps what it has received."""

from __future__ import annotations

import asyncio
import ssl

import pytest
import uvloop

from liqo.kube.secured import secured
from tests.unit.kube.certificates import Authority

AUTHORITY = Authority()
MUCH = bytes(range(256)) * 8192


async def connected(context: ssl.SSLContext) -> bytes:
    """What a server says before it closes, read by somebody who first looks away."""

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(MUCH)
        writer.close()

    tls = AUTHORITY.pair("server").server()
    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls) as server:
        port = server.sockets[0].getsockname()[1]
        _, bare = await asyncio.open_connection("127.0.0.1", port)
        reader, writer = await secured(bare, context, "127.0.0.1")
        try:
            await asyncio.sleep(0.2)
            async with asyncio.timeout(10):
                return await reader.read()
        finally:
            writer.close()


def test_what_was_said_before_the_end_is_read_also_late() -> None:
    context = ssl.create_default_context(cadata=AUTHORITY.certificate)
    assert uvloop.run(connected(context)) == MUCH


async def test_a_server_that_cannot_be_trusted_is_not_spoken_to() -> None:
    context = ssl.create_default_context(cadata=Authority().certificate)
    with pytest.raises(ssl.SSLCertVerificationError):
        await connected(context)
