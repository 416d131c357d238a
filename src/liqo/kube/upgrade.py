"""An HTTP upgrade: the connection behind an exec, an attach or a port-forward, as bare streams.

Written on asyncio's streams, because the HTTP client keeps its sockets to itself. What is spoken
after the upgrade (SPDY or WebSocket) is not our concern: whoever asked splices the bytes.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from liqo.kube.access import Access
from liqo.kube.errors import KubeError, Unreachable, refusal
from liqo.kube.http import Connection, proxy_of
from liqo.kube.keepalive import attend
from liqo.kube.secured import secured
from liqo.kube.unreachable import unreachable

_LONGEST_REFUSAL = 64 * 1024


@dataclass(frozen=True)
class Upgrade:
    method: str
    path: str
    protocol: str  # "SPDY/3.1", "websocket"
    headers: Sequence[tuple[str, str]] = ()  # some come several times


@dataclass(frozen=True)
class Upgraded:
    """Both directions, for whoever asked to close; and what the API server answered."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    head: bytes  # as it came
    headers: dict[str, str]  # names in lower case


async def upgrade(connection: Connection, wanted: Upgrade) -> Upgraded:
    presented = await connection.credentials.current()
    access, name = connection.access, connection.name
    try:
        async with asyncio.timeout(connection.limits.connect):
            reader, writer = await _connect(access, presented.tls)
    except OSError as wrong:
        raise unreachable(wrong, access, name, sent=False) from wrong
    headers = [("User-Agent", connection.agent), *presented.headers, *wanted.headers]
    try:
        async with asyncio.timeout(connection.limits.answer):
            writer.write(_request(access, wanted, headers))
            return await _answer(reader, writer, name)
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as wrong:
        writer.close()
        raise unreachable(wrong, access, name, sent=True) from wrong
    except (KubeError, asyncio.CancelledError):
        writer.close()
        raise


async def _connect(
    access: Access, tls: ssl.SSLContext | None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    server, proxy = urlsplit(access.server), proxy_of(access)
    first = urlsplit(proxy) if proxy else server
    reader, writer = await asyncio.open_connection(first.hostname, _port(first))
    if proxy:
        target = f"{server.hostname}:{_port(server)}"
        writer.write(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
        code, _ = _head(await reader.readuntil(b"\r\n\r\n"))
        if code != 200:
            writer.close()
            raise ConnectionError(f"the proxy {proxy} answered {code}")
    attend(writer.get_extra_info("socket"))
    if not tls:
        return reader, writer
    return await secured(writer, tls, access.server_name or server.hostname or "")


def _port(address: SplitResult) -> int:
    return address.port or (443 if address.scheme == "https" else 80)


def _request(access: Access, wanted: Upgrade, headers: list[tuple[str, str]]) -> bytes:
    server = urlsplit(access.server)
    lines = [
        f"{wanted.method} {server.path}{wanted.path} HTTP/1.1",
        f"Host: {server.netloc}",
        "Connection: Upgrade",
        f"Upgrade: {wanted.protocol}",
        *(f"{name}: {value}" for name, value in headers),
    ]
    if wanted.method == "POST":
        lines.append("Content-Length: 0")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def _answer(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str
) -> Upgraded:
    head = await reader.readuntil(b"\r\n\r\n")
    code, headers = _head(head)
    if code == 101:
        return Upgraded(reader, writer, head, headers)
    length = headers.get("content-length", "0")
    body = await reader.readexactly(min(int(length), _LONGEST_REFUSAL))
    raise refusal(code, body, where=name)


def _head(head: bytes) -> tuple[int, dict[str, str]]:
    first, *lines = head.decode("latin-1").rstrip().split("\r\n")
    _, _, rest = first.partition(" ")
    if not rest[:3].isdigit():
        raise Unreachable(f"no HTTP is spoken there: {first[:80]!r}")
    pairs = (line.partition(":") for line in lines)
    return int(rest[:3]), {name.strip().lower(): value.strip() for name, _, value in pairs}
