"""TLS as of now: the certificate that is shown, and the authority whose clients are believed.

Each connection is met with the newest of both; those that are open go on. A client without a
certificate may have a token; one with a certificate of another authority is not spoken to.
"""

from __future__ import annotations

import asyncio
import ssl

import structlog

from liqo.api.kubernetes import ConfigMap
from liqo.kube.authentication import client_authority
from liqo.kube.tls import ask_clients, server

log = structlog.get_logger()


class Tls:
    def __init__(self) -> None:
        self.ready = asyncio.Event()
        self._chain = b""
        self._clients = ""
        self._context: ssl.SSLContext | None = None

    @property
    def context(self) -> ssl.SSLContext:
        assert self._context is not None, "who serves waits until it is ready"
        return self._context

    def show(self, chain: bytes) -> None:
        """A certificate and its key, in PEM."""
        self._chain = chain
        self._renew()

    def believe(self, _: ConfigMap | None, told: ConfigMap | None) -> None:
        """A subscriber of what Kubernetes tells all who serve. Without it, only tokens count."""
        self._clients = client_authority(told)
        self._renew()

    def _renew(self) -> None:
        if not self._chain:
            return
        try:
            self._context = context(self._chain, self._clients)
        except ssl.SSLError as wrong:
            log.warning("certificates not usable", why=str(wrong))
            return
        self.ready.set()


def context(chain: bytes, clients: str) -> ssl.SSLContext:
    made = server(chain)
    if clients:
        ask_clients(made, clients)
    return made
