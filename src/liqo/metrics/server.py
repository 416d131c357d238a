"""The server behind the aggregated API: only an API server may ask it, for whom it asks counts."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Protocol

import structlog
from aiohttp import web

from liqo.api.kubernetes import ConfigMap
from liqo.api.metrics import SCRAPE
from liqo.kube import authentication, tls
from liqo.kube.authentication import TOLD, Front
from liqo.kube.errors import KubeError
from liqo.metrics import callers
from liqo.metrics.callers import Caller
from liqo.metrics.paths import DOCUMENTS, FIGURES, Scrape, scrape
from liqo.rules.certificates import Pair

log = structlog.get_logger()


class Source(Protocol):
    async def text(self, asked: Scrape) -> str: ...


class Server:
    """Serves from its first moment, and answers nobody until it knows whom to believe."""

    def __init__(self, source: Source, shown: Pair, port: int) -> None:
        self.front: Front | None = None
        self._source = source
        self._port = port
        self._context = tls.server(shown.certificate_pem + shown.key_pem)

    def take(self, _: ConfigMap | None, found: ConfigMap | None) -> None:
        """A subscriber of the ConfigMap."""
        front = authentication.front(found)
        if front is None or front == self.front:
            return
        try:
            tls.ask_clients(self._context, front.ca)
        except ssl.SSLError as wrong:
            log.warning("authority not usable", key=str(TOLD), why=str(wrong))
            return
        self.front = front

    def missing(self) -> list[str]:
        return [] if self.front is not None else [f"the ConfigMap {TOLD}"]

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        made = web.Application()
        made.add_routes([web.get("/{path:.*}", self._asked)])
        runner = web.AppRunner(made, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        try:
            await web.TCPSite(runner, port=self._port, ssl_context=self._context).start()
            yield
        finally:
            await runner.cleanup()

    async def _asked(self, request: web.Request) -> web.Response:
        caller = self._caller(request)
        if caller is None:
            raise web.HTTPUnauthorized(text="only the API server of this cluster may ask\n")
        document = DOCUMENTS.get(request.path.rstrip("/") or "/")
        if document is not None:
            return web.json_response(document)
        return await self._told(caller, request.path)

    async def _told(self, caller: Caller, path: str) -> web.Response:
        asked = scrape(path)
        if asked is None:
            known = ", ".join(sorted(FIGURES))
            wrong = web.HTTPBadRequest if path.startswith(SCRAPE) else web.HTTPNotFound
            raise wrong(text=f"{path} is not told; after the cluster ID come {known}\n")
        if not caller.may_see(asked.consumer):
            why = f"{caller.user} is not of the cluster {asked.consumer}: its pods are not told\n"
            raise web.HTTPForbidden(text=why)
        try:
            return web.Response(text=await self._source.text(asked), content_type="text/plain")
        except KubeError as error:
            raise web.HTTPServiceUnavailable(text=f"{error}\n") from error

    def _caller(self, request: web.Request) -> Caller | None:
        shown: Mapping[str, Any] | None = request.get_extra_info("peercert")
        if not shown or self.front is None:
            return None
        headers = {name.lower(): request.headers.getall(name) for name in request.headers}
        return callers.caller(self.front, common_name(shown), headers)


def common_name(shown: Mapping[str, Any]) -> str:
    """Of the subject of a certificate, as Python's ssl tells it."""
    pairs = (pair for part in shown.get("subject", ()) for pair in part)
    return next((value for name, value in pairs if name == "commonName"), "")
