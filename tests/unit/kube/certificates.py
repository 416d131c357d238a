"""Certificates for tests: an authority, and what it signs, valid when and for what a test says."""

from __future__ import annotations

import ssl
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from liqo.rules import certificates
from liqo.rules.certificates import Lifetime

NOW = datetime.now(UTC)
YESTERDAY, TOMORROW = NOW - timedelta(days=1), NOW + timedelta(days=1)
BEGINNING = YESTERDAY - timedelta(days=1)


@dataclass(frozen=True)
class Pair:
    certificate: str
    key: str

    def server(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as chain:
            chain.write(self.certificate + self.key)
            chain.flush()
            context.load_cert_chain(chain.name)
        return context


class Authority:
    def __init__(self) -> None:
        self._signer = certificates.authority("authority", until(TOMORROW))
        self.certificate = self._signer.certificate_pem.decode()

    def pair(
        self, name: str, *, hosts: Sequence[str] = ("127.0.0.1",), end: datetime = TOMORROW
    ) -> Pair:
        made = certificates.server(self._signer, name, hosts, until(end))
        return Pair(made.certificate_pem.decode(), made.key_pem.decode())


def until(end: datetime) -> Lifetime:
    return Lifetime(BEGINNING, end - BEGINNING)
