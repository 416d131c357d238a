"""Leaving HTTP for another protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from liqo.kube.access import Access, Material, User
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Forbidden, Unreachable
from tests.unit.kube.certificates import Authority
from tests.unit.kube.scripted import CUT, Answer, refuses, scripted

SWITCHED = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: SPDY/3.1\r\nX-Stream: v4\r\n\r\n"
AUTHORITY = Authority()


@asynccontextmanager
async def echoing(
    *, tls: bool = False, connects: bool = False
) -> AsyncIterator[tuple[Access, list[bytes]]]:
    """A server that upgrades, and then says everything back; a proxy too, when it connects."""
    heads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if connects:
            heads.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(SWITCHED)
        while chunk := await reader.read(1024):
            writer.write(chunk)
        writer.close()

    context = AUTHORITY.pair("server").server() if tls else None
    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context) as server:
        port = server.sockets[0].getsockname()[1]
        scheme = "https" if tls else "http"
        yield Access(f"{scheme}://127.0.0.1:{port}", Material(AUTHORITY.certificate)), heads


async def exec_through(access: Access) -> bytes:
    async with Cluster(access, name="rome", agent="liqo/test") as cluster:
        upgraded = await cluster.upgrade(
            "/exec?x=1", protocol="SPDY/3.1", headers=[("X-Stream", "v4")]
        )
        upgraded.writer.write(b"ping")
        echo = await upgraded.reader.readexactly(4)
        upgraded.writer.close()
    assert upgraded.headers == {"upgrade": "SPDY/3.1", "x-stream": "v4"}
    return echo


@pytest.mark.parametrize("tls", [False, True])
async def test_bytes_go_both_ways(tls: bool) -> None:
    async with echoing(tls=tls) as (access, heads):
        mine = replace(access, user=User(token=Material(data="t")))
        assert await exec_through(mine) == b"ping"
    lines = heads[0].decode().split("\r\n")
    assert lines[0] == "POST /exec?x=1 HTTP/1.1"
    assert {"Connection: Upgrade", "Upgrade: SPDY/3.1", "X-Stream: v4"} < set(lines)
    assert {"Authorization: Bearer t", "User-Agent: liqo/test"} < set(lines)


async def test_a_proxy_is_asked_to_connect() -> None:
    async with echoing(connects=True) as (access, heads):
        assert await exec_through(Access("http://rome.invalid", proxy=access.server)) == b"ping"
    assert heads[0].startswith(b"CONNECT rome.invalid:80 HTTP/1.1\r\n")


async def test_a_proxy_may_refuse() -> None:
    async with scripted(Answer(b"", code=403)) as proxy:
        access = Access("http://rome.invalid", proxy=proxy.access.server)
        with pytest.raises(Unreachable, match=r"the proxy .* answered 403"):
            await exec_through(access)


async def test_a_refusal_is_the_same_error_as_for_any_request() -> None:
    async with scripted(refuses(403, "you may not")) as server:
        with pytest.raises(Forbidden, match="rome: you may not"):
            await exec_through(server.access)


async def test_a_connection_that_is_cut_was_lost() -> None:
    async with scripted(CUT) as server:
        with pytest.raises(Unreachable):
            await exec_through(server.access)


async def test_a_port_where_nobody_listens() -> None:
    with pytest.raises(Unreachable, match="refused the connection"):
        await exec_through(Access("http://127.0.0.1:1"))


async def test_a_port_where_something_else_is_spoken() -> None:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example.com\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(Unreachable, match="no HTTP is spoken there"):
            await exec_through(Access(f"http://127.0.0.1:{port}"))
