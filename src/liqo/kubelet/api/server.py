"""The server on port 10250: every connection is met here, and every request passes the gate.

What is to leave HTTP goes on to the provider byte by byte; the rest is left to the HTTP library.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace

import structlog
from aiohttp import web

from liqo.kube.errors import KubeError
from liqo.kube.keepalive import attend
from liqo.kubelet.api import answer as answers
from liqo.kubelet.api import head as heads
from liqo.kubelet.api.answer import Answer, Streamed
from liqo.kubelet.api.door import Door
from liqo.kubelet.api.endpoints import Endpoints
from liqo.kubelet.api.gate import Gate, Visitor
from liqo.kubelet.api.head import Head
from liqo.kubelet.api.permission import needed
from liqo.kubelet.api.splice import End, splice
from liqo.kubelet.api.tls import Tls
from liqo.kubelet.api.upgrades import wanted

HASTE = 10.0  # seconds for TLS, and for the head of a first request
LEAVING = 3600.0  # seconds in which a slow reader may take the rest of what it was sent
FOUR_HOURS = 4 * 3600.0  # as kubelets have it
UNUSED = 90.0  # seconds that a connection is kept for further requests, as kubelets do it
FINISHING = 0.5  # seconds for requests in flight when we go; zero would be for ever
EMPTY_HANDED = 1.0  # seconds to wait when the machine has no more connections to give
NO_REQUEST = Answer(400, b"400 Bad Request")

log = structlog.get_logger()


@dataclass(frozen=True)
class Listening:
    port: int
    idle: float = FOUR_HOURS  # seconds after which a connection without a word is closed


class Server:
    def __init__(self, listening: Listening, tls: Tls, gate: Gate, endpoints: Endpoints) -> None:
        self._listening = listening
        self._tls = tls
        self._gate = gate
        self._endpoints = endpoints

    async def run(self) -> None:
        """From the moment that there is a certificate to show."""
        await self._tls.ready.wait()
        plain = web.Server(
            self._plain, handler_cancellation=True, access_log=None, keepalive_timeout=UNUSED
        )
        loop = asyncio.get_running_loop()
        try:
            with listener(self._listening.port) as listening:
                log.info("kubelet API", port=listening.getsockname()[1])
                async with asyncio.TaskGroup() as tasks:
                    while True:
                        client = await accepted(loop, listening)
                        tasks.create_task(self._met(client, plain))
        finally:
            await plain.shutdown(FINISHING)

    async def _met(self, client: socket.socket, plain: Callable[[], asyncio.Protocol]) -> None:
        try:
            await self._meet(client, plain)
        except OSError:
            client.close()  # garbage, a stranger's certificate, or nobody there any more
        except Exception:  # a mistake of ours: others are served on
            log.exception("connection failed")

    async def _meet(self, client: socket.socket, plain: Callable[[], asyncio.Protocol]) -> None:
        attend(client)
        door = Door()
        transport, _ = await asyncio.get_running_loop().connect_accepted_socket(
            lambda: door,
            client,
            ssl=self._tls.context,
            ssl_handshake_timeout=HASTE,
            ssl_shutdown_timeout=LEAVING,
        )
        try:
            asked = await first_request(door)
            if asked is None:
                transport.write(answers.raw(NO_REQUEST))
                transport.close()
            elif asked.upgrade:
                await self._upgraded(asked, door.open(), transport.get_extra_info("peercert"))
            else:
                door.leave_to(plain())
        except BaseException:
            transport.abort()
            raise

    async def _upgraded(self, asked: Head, client: End, peer: dict[str, object] | None) -> None:
        visitor = Visitor(peer, asked.first("authorization"))
        refusal = await self._gate.refusal(visitor, needed(asked.method, asked.target))
        refusal = refusal or await self._joined(asked, client)
        if refusal is not None:
            client.writer.write(answers.raw(refusal))
        client.writer.close()

    async def _joined(self, asked: Head, client: End) -> Answer | None:
        """To the provider's API server. Until that agrees, nothing but our request reaches it."""
        upgrade = wanted(asked, self._endpoints.twins)
        if isinstance(upgrade, Answer):
            return upgrade
        try:
            upgraded = await self._endpoints.provider.upgrade(
                upgrade.path,
                protocol=upgrade.protocol,
                headers=upgrade.headers,
                method=upgrade.method,
            )
        except KubeError as error:
            return self._as_at_home(answers.not_upgraded(error))
        client.writer.write(upgraded.head)
        await splice(client, End(upgraded.reader, upgraded.writer), self._listening.idle)
        return None

    async def _plain(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            target = heads.target(request.raw_path)
        except ValueError:
            return _response(NO_REQUEST)
        peer = request.get_extra_info("peercert")
        visitor = Visitor(peer, request.headers.get("Authorization", ""))
        answer: Answer | Streamed | None = await self._gate.refusal(
            visitor, needed(request.method, target)
        )
        answer = answer or await self._endpoints.answer(request.method, target)
        if isinstance(answer, Streamed):
            return await self._streamed(request, answer)
        return _response(answer)

    async def _streamed(self, request: web.BaseRequest, answer: Streamed) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": answers.PLAIN})
        try:
            silence = 0 if answer.follows else None
            async with self._endpoints.provider.stream(answer.path, silence=silence) as chunks:
                await response.prepare(request)
                async for chunk in chunks:
                    await response.write(chunk)
        except KubeError as error:
            if not response.prepared:
                return _response(self._as_at_home(answers.refused_to_a_user(error)))
            if request.transport is not None:
                request.transport.abort()  # it must not look like the end of a log
        return response

    def _as_at_home(self, refusal: Answer) -> Answer:
        """What the provider says of a twin is true of our pod, which lives in another namespace."""
        said = self._endpoints.twins.as_at_home(refusal.body.decode())
        return replace(refusal, body=said.encode())


async def first_request(door: Door) -> Head | None:
    """None where it is none. OSError where nobody asks, in time or at all."""
    try:
        async with asyncio.timeout(HASTE):
            return heads.parse(await door.head())
    except ValueError:
        return None


def _response(answer: Answer) -> web.Response:
    return web.Response(
        status=answer.code, body=answer.body, content_type=answer.content_type, charset="utf-8"
    )


def listener(port: int) -> socket.socket:
    """On all addresses, of both kinds where this machine has both."""
    both = socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if both else socket.AF_INET
    made = socket.create_server(("", port), family=family, dualstack_ipv6=both, backlog=1024)
    made.setblocking(False)
    return made


async def accepted(loop: asyncio.AbstractEventLoop, listening: socket.socket) -> socket.socket:
    while True:
        try:
            client, _ = await loop.sock_accept(listening)
            return client
        except OSError as wrong:
            log.warning("no connection accepted", why=str(wrong))
            await asyncio.sleep(EMPTY_HANDED)
