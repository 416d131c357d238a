"""Connections to one API server: requests, time-outs, safe repeats.

Repeated are: a read that got no answer or a 5xx; anything that never left, because the connection
was refused; anything that was put off with 429, within the patience of this connection; and once,
anything refused with 401 when newer credentials are at hand.
"""

from __future__ import annotations

import asyncio
import random
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

import aiohttp
from yarl import URL

from liqo.kube.access import Access
from liqo.kube.credentials import LOOK_AGAIN, Credentials, Presented, expiry
from liqo.kube.errors import (
    KubeError,
    ServerFault,
    Throttled,
    Unauthorized,
    Unreachable,
    refusal,
)
from liqo.kube.keepalive import attend, hurry
from liqo.kube.unreachable import unreachable

IDLE = 30.0  # seconds an unused connection is kept; the API server closes it after 90
PAUSES = (0.05, 0.25)  # seconds before the first and the second repetition

JSON_TYPE = "application/json"
_READS = frozenset({"GET", "HEAD"})
_LOST = (aiohttp.ClientError, OSError)  # what the HTTP client raises when there is no answer

T = TypeVar("T")


@dataclass(frozen=True)
class Limits:
    """How long we wait for what, in seconds."""

    connect: float = 10.0  # name, TCP and TLS
    answer: float = 60.0  # a whole request: the API server itself gives up after 60
    silence: float = 75.0  # between two bytes of a stream: a watch brings a bookmark every 60
    patience: float = 20.0  # that one request may be put off by 429 in all; 0: the caller decides
    look_again: float = LOOK_AGAIN  # at the files of the credentials


LIMITS = Limits()


class Call(NamedTuple):
    """One request, for metrics: how long until its answer began. Code 0: it never did."""

    verb: str
    path: str
    code: int
    seconds: float


class Request(NamedTuple):
    method: str
    path: str  # with its query, already escaped
    body: bytes | None = None
    content_type: str = JSON_TYPE
    accept: str = JSON_TYPE


Tell = Callable[[Call], None]


class Connection:
    """Use it as an async context manager; `name` says in messages whose API server this is."""

    def __init__(
        self,
        access: Access,
        *,
        name: str,
        agent: str,
        limits: Limits = LIMITS,
        tell: Tell | None = None,
    ) -> None:
        self.access = access
        self.name = name
        self.agent = agent
        self.limits = limits
        self.credentials = Credentials(access, look_again=limits.look_again)
        self.heard_at = time.monotonic()
        self._whole = aiohttp.ClientTimeout(total=limits.answer, sock_connect=limits.connect)
        self._tell = tell
        self._proxy = proxy_of(access)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Connection:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0,  # watches hold theirs for minutes; whoever calls limits the rest
                keepalive_timeout=IDLE,
                ttl_dns_cache=30,
                socket_factory=_socket,
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            # Compression costs both ends more than the bytes cost the wire.
            headers={
                "Accept": JSON_TYPE,
                "Accept-Encoding": "identity",
                "User-Agent": self.agent,
            },
            auto_decompress=False,
            read_bufsize=256 * 1024,
        )
        return self

    def swap(self, access: Access) -> None:
        """Present other credentials from now on; streams that are open stay open."""
        self.access = access
        self.credentials = Credentials(access, look_again=self.limits.look_again)
        self._proxy = proxy_of(access)

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def send(self, request: Request, *, patience: float | None = None) -> bytes:
        """The body of the answer."""
        return await self.repeated(request, partial(self._answer, request), patience=patience)

    async def repeated(
        self,
        request: Request,
        attempt: Callable[[], Awaitable[T]],
        *,
        patience: float | None = None,
    ) -> T:
        """What the attempt at that request gives; more attempts where that is safe."""
        patience = self.limits.patience if patience is None else patience
        faults, renewed = 0, False
        while True:
            try:
                return await attempt()
            except Unauthorized as who:
                if not who.newer or renewed:
                    raise
                renewed, pause = True, 0.0
            except Throttled as later:
                patience -= later.retry_after
                if patience < 0:
                    raise
                pause = later.retry_after
            except (Unreachable, ServerFault) as fault:
                if faults >= len(PAUSES) or not _may_repeat(request, fault):
                    raise
                pause = PAUSES[faults]
                faults += 1
            await asyncio.sleep(pause * random.uniform(1.0, 1.5))

    @asynccontextmanager
    async def stream(
        self, request: Request, *, silence: float | None = None
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        """The body in chunks as they come, for as long as they come; one attempt."""
        timeout = aiohttp.ClientTimeout(
            total=None,
            sock_connect=self.limits.connect,
            sock_read=self.limits.silence if silence is None else silence,
        )
        async with await self._begin(request, timeout) as response:
            yield self._chunks(response)

    async def _answer(self, request: Request) -> bytes:
        async with await self._begin(request, self._whole) as response:
            return await self._body(response)

    async def _begin(
        self, request: Request, timeout: aiohttp.ClientTimeout
    ) -> aiohttp.ClientResponse:
        """A success, of which the body is still to come."""
        presented = await self.credentials.current()
        began, code = time.monotonic(), 0
        try:
            response = await self._open(request, presented, timeout)
            code, self.heard_at = response.status, time.monotonic()
            if code >= 300:
                raise self._refusal(response, await response.read(), presented)
            return response
        except _LOST as wrong:
            raise self._lost(wrong) from wrong
        finally:
            if self._tell is not None:
                seconds = time.monotonic() - began
                self._tell(Call(request.method, request.path, code, seconds))

    def _open(
        self, request: Request, presented: Presented, timeout: aiohttp.ClientTimeout
    ) -> Awaitable[aiohttp.ClientResponse]:
        if self._session is None:
            raise RuntimeError("a Connection is used inside its `async with`")
        headers = list(presented.headers)
        if request.accept != JSON_TYPE:
            headers.append(("Accept", request.accept))
        if request.body is not None:
            headers.append(("Content-Type", request.content_type))
        return self._session.request(
            request.method,
            URL(self.access.server + request.path, encoded=True),
            data=request.body,
            headers=headers or None,
            ssl=presented.tls or True,
            timeout=timeout,
            allow_redirects=False,
            server_hostname=self.access.server_name or None,
            proxy=self._proxy or None,
        )

    def _lost(self, wrong: Exception) -> Unreachable:
        sent = not isinstance(wrong, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)
        return unreachable(wrong, self.access, self.name, sent=sent)

    async def _body(self, response: aiohttp.ClientResponse) -> bytes:
        try:
            return await response.read()
        except _LOST as wrong:
            raise self._lost(wrong) from wrong

    async def _chunks(self, response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        content = response.content
        try:
            while chunk := await content.readany():
                self.heard_at = time.monotonic()
                yield chunk
        except _LOST as wrong:
            raise self._lost(wrong) from wrong

    def _refusal(
        self, response: aiohttp.ClientResponse, body: bytes, presented: Presented
    ) -> KubeError:
        error = refusal(
            response.status,
            body,
            where=self.name,
            retry_after=response.headers.get("Retry-After", ""),
        )
        if not isinstance(error, Unauthorized):
            return error
        return Unauthorized(
            f"{self.name}: {self._stranger(presented)}",
            reason=error.reason,
            newer=self.credentials.renew(presented),
        )

    def _stranger(self, presented: Presented) -> str:
        source = self.access.source
        ended = expiry(presented.certificate)
        if ended is not None and ended < datetime.now(UTC):
            return f"the client certificate of {source} expired on {ended:%Y-%m-%d %H:%M} UTC"
        return f"the API server does not accept the credentials of {source}"


def _may_repeat(request: Request, fault: Unreachable | ServerFault) -> bool:
    if isinstance(fault, ServerFault):
        return request.method in _READS
    return not fault.lasting and (not fault.sent or request.method in _READS)


def proxy_of(access: Access, environment: Mapping[str, str] | None = None) -> str:
    """The kubeconfig's, else the environment's; never for this machine itself."""
    if access.proxy:
        return access.proxy
    proxies = getproxies() if environment is None else environment
    address = urlsplit(access.server)
    host = address.hostname or ""
    is_here = host in {"localhost", "::1"} or host.startswith("127.")
    if is_here or _is_exempt(host, proxies.get("no", "")):
        return ""
    return proxies.get(address.scheme, "")


def _is_exempt(host: str, listed: str) -> bool:
    """NO_PROXY: names, the ends of names, or a star."""
    names = filter(None, (name.strip().lstrip(".") for name in listed.split(",")))
    return any(name in {"*", host} or host.endswith("." + name) for name in names)


def _socket(address: aiohttp.connector.AddrInfoType) -> socket.socket:
    family, kind, protocol, *_ = address
    made = socket.socket(family=family, type=kind, proto=protocol)
    attend(made)
    hurry(made)
    return made
