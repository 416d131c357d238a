"""A server that answers what a test tells it to: also what no API server does on demand."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import msgspec

from liqo.api.meta import JSON
from liqo.kube.access import Access


@dataclass(frozen=True)
class Answer:
    body: bytes = b"{}"
    code: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False  # the connection, after what was sent
    stays: bool = False  # the body does not end
    when: asyncio.Event | None = None  # not before


@dataclass
class Hands:
    """Of a clock: they stand where a test puts them."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


S = TypeVar("S", bound="Scripted")
CUT = Answer(b"", code=0, cut=True)


class Asked(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Scripted:
    """Gives its answers in order, then none any more."""

    def __init__(self, *answers: Answer) -> None:
        self.access = Access("")
        self.asked: list[Asked] = []
        self.left = 0  # connections that have ended
        self._answers = list(answers)
        self._arrived = asyncio.Condition()

    async def until_asked(self, times: int) -> None:
        async with asyncio.timeout(10), self._arrived:
            await self._arrived.wait_for(lambda: len(self.asked) >= times)

    def answer(self, asked: Asked) -> Answer | None:
        return self._answers.pop(0) if self._answers else None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                asked = await _asked(reader)
                self.asked.append(asked)
                async with self._arrived:
                    self._arrived.notify_all()
                answer = self.answer(asked)
                if answer is None:
                    await reader.read()  # until the client goes
                    break
                if answer.when is not None:
                    await answer.when.wait()
                writer.write(_bytes(answer))
                await writer.drain()
                if answer.stays:
                    await reader.read()
                if answer.cut or answer.stays:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.left += 1
            writer.close()


@asynccontextmanager
async def scripted(*answers: Answer, tls: ssl.SSLContext | None = None) -> AsyncIterator[Scripted]:
    async with serving(Scripted(*answers), tls) as script:
        yield script


@asynccontextmanager
async def serving(script: S, tls: ssl.SSLContext | None = None) -> AsyncIterator[S]:
    server = await asyncio.start_server(script.serve, "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    script.access = Access(f"{'https' if tls else 'http'}://127.0.0.1:{port}", source="the test")
    try:
        yield script
    finally:
        server.close()


def says(value: object, code: int = 200, **headers: str) -> Answer:
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Answer(msgspec.json.encode(value), code, named)


def refuses(code: int, message: str = "no", reason: str = "", **headers: str) -> Answer:
    body = {"kind": "Status", "code": code, "message": message, "reason": reason}
    return says(body, code, **headers)


def a_list(*items: JSON, version: str) -> Answer:
    return says({"kind": "List", "metadata": {"resourceVersion": version}, "items": list(items)})


def a_watch(*events: JSON, cut: bool = False, stays: bool = False) -> Answer:
    lines = b"".join(msgspec.json.encode(event) + b"\n" for event in events)
    return Answer(lines, cut=cut, stays=stays)


def an_event(kind: str, item: JSON) -> JSON:
    return {"type": kind, "object": item}


def a_bookmark(version: str) -> JSON:
    return {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": version}}}


def a_config(name: str, version: str, **entries: str) -> JSON:
    metadata = {"name": name, "namespace": "shop", "resourceVersion": version}
    return {"metadata": metadata, "data": entries}


async def _asked(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().rstrip().split("\r\n")
    method, path, _ = head[0].split(" ")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in head[1:])}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, body)


def _bytes(answer: Answer) -> bytes:
    if not answer.code:
        return b""
    headers = dict(answer.headers)
    if answer.cut or answer.stays:
        headers["Transfer-Encoding"] = "chunked"
        body = f"{len(answer.body):x}\r\n".encode() + answer.body + b"\r\n" if answer.body else b""
    else:
        headers["Content-Length"] = str(len(answer.body))
        body = answer.body
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {answer.code} x\r\n{head}\r\n".encode() + body
