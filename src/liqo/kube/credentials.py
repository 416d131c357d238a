"""What we present to an API server now: a TLS context and headers, renewed when their source is.

Files are looked at again every few seconds. A new certificate means a new TLS context, and a
connection is only ever reused under the context it was made with: those of the old one go idle
and close.
"""

from __future__ import annotations

import asyncio
import base64
import ssl
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime

from liqo.kube import plugin
from liqo.kube.access import Access, Material, User
from liqo.kube.errors import Misconfigured
from liqo.kube.tls import reads_modestly

LOOK_AGAIN = 2.0  # seconds between two looks at the files; a look costs a few microseconds
RENEW_BEFORE = 30.0  # seconds that a plugin's credentials must still last


@dataclass(frozen=True)
class Presented:
    tls: ssl.SSLContext | None  # None for plain http
    headers: tuple[tuple[str, str], ...]
    certificate: str = ""  # ours, in PEM; empty without one
    authority: str = ""


class Credentials:
    def __init__(self, access: Access, *, look_again: float = LOOK_AGAIN) -> None:
        self._access = access
        self._look_again = look_again
        self._presented: Presented | None = None
        self._versions: tuple[object, ...] = ()
        self._look_at = 0.0
        self._issued: plugin.Issued | None = None
        self._asking = asyncio.Lock()

    async def current(self) -> Presented:
        if self._presented is not None and time.monotonic() < self._look_at:
            return self._presented
        async with self._asking:
            if self._access.user.plugin and self._plugin_is_due():
                self._issued = await plugin.ask(self._access.user.plugin, self._access)
                self._versions = ()
            return self._look_or_keep()

    def renew(self, refused: Presented) -> bool:
        """After a 401: forget what was refused. False when there is nothing newer to try."""
        self._look_at = 0.0
        if self._access.user.plugin and self._presented is refused:
            self._issued = None
            return True
        return self._presented is not refused or self._look_or_keep() is not refused

    def _plugin_is_due(self) -> bool:
        if self._issued is None:
            return True
        return (
            self._issued.expires is not None and time.time() > self._issued.expires - RENEW_BEFORE
        )

    def _look_or_keep(self) -> Presented:
        try:
            return self._look()
        except Misconfigured:
            if self._presented is None:
                raise
            # A certificate and its key are replaced one after the other: what we have serves on.
            return self._presented

    def _look(self) -> Presented:
        user = self._access.user
        sources = (self._access.authority, user.certificate, user.key, user.token)
        versions = tuple(source.version() for source in sources)
        if self._presented is None or versions != self._versions:
            self._presented = _present(self._access, self._issued, self._presented)
            self._versions = versions
        self._look_at = time.monotonic() + self._look_again
        return self._presented


def expiry(certificate: str) -> datetime | None:
    """When a PEM certificate ends; None when it is not one."""
    from cryptography import x509  # 9 MB that only a refusal needs

    try:
        return x509.load_pem_x509_certificate(certificate.encode()).not_valid_after_utc
    except ValueError:
        return None


def _present(access: Access, issued: plugin.Issued | None, before: Presented | None) -> Presented:
    user = access.user
    certificate = issued.certificate if issued and issued.certificate else user.certificate.read()
    key = issued.key if issued and issued.key else user.key.read()
    headers = (*user.headers, *_authorization(user, issued.token if issued else ""))
    if not access.server.startswith("https:"):
        return Presented(None, headers)
    authority = access.authority.read()
    if before and (before.certificate, before.authority) == (certificate, authority):
        tls = before.tls  # only the token is new: connections stay
    else:
        tls = _tls(access, certificate, key)
    return Presented(tls, headers, certificate, authority)


def _authorization(user: User, issued: str) -> tuple[tuple[str, str], ...]:
    if token := issued or user.token.read().strip():
        return (("Authorization", f"Bearer {token}"),)
    if user.basic:
        encoded = base64.b64encode(":".join(user.basic).encode()).decode()
        return (("Authorization", f"Basic {encoded}"),)
    return ()


def _tls(access: Access, certificate: str, key: str) -> ssl.SSLContext:
    context = reads_modestly(_trust(access))
    # Kubernetes' own certificates are not always as RFC 5280 wants them, and Go does not mind.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if access.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if not certificate:
        return context
    try:
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as chain:  # the only way into OpenSSL
            chain.write(f"{certificate}\n{key}")
            chain.flush()
            context.load_cert_chain(chain.name)
    except ssl.SSLError as wrong:
        raise Misconfigured(
            f"{access.source}: client certificate and key do not belong together, or are no PEM"
        ) from wrong
    return context


def _trust(access: Access) -> ssl.SSLContext:
    authority: Material = access.authority
    try:
        return ssl.create_default_context(cadata=authority.read() or None)
    except ssl.SSLError as wrong:
        name = authority.file or "certificate-authority-data"
        raise Misconfigured(f"{access.source}: {name} is not a PEM certificate") from wrong
