"""Why an API server could not be reached, in a sentence for each reason."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

from liqo.kube.access import Access
from liqo.kube.errors import Unreachable

# OpenSSL's numbers of what it found wrong with a certificate: X509_V_ERR_…
_NOT_YET_VALID = 9
_EXPIRED = 10
_UNKNOWN_AUTHORITY = frozenset({2, 7, 18, 19, 20, 21})  # 7: one of the same name
_OTHER_NAME = frozenset({62, 64})


def unreachable(wrong: BaseException, access: Access, name: str, *, sent: bool) -> Unreachable:
    """The error for a connection that failed, from whatever the network said about it."""
    server = f"The API server of {name}, {access.server},"
    for cause in _causes(wrong):
        match cause:
            case ssl.SSLCertVerificationError():
                return Unreachable(
                    f"{server} {_certificate(cause, access)}", sent=False, lasting=True
                )
            case ssl.SSLError():
                return Unreachable(f"{server} {_tls(cause)}", sent=sent, lasting=not sent)
            case socket.gaierror():
                host = urlsplit(access.proxy or access.server).hostname
                why = f"has a host that does not resolve: {host}"
                return Unreachable(f"{server} {why}", sent=False, lasting=True)
            case ConnectionRefusedError():
                why = "refused the connection: is it running, and is the address right?"
                return Unreachable(f"{server} {why}", sent=False)
            case OSError(errno=errno.EHOSTUNREACH | errno.ENETUNREACH):
                wrong = OSError("there is no route to it")
                break
            case TimeoutError():
                why = "did not answer in time: is there a route to it, is it overloaded?"
                return Unreachable(f"{server} {why}", sent=sent, lasting=True)
    why = str(wrong) or type(wrong).__name__
    return Unreachable(f"{server} was lost: {why}", sent=sent)


def _causes(wrong: BaseException | None) -> Iterator[BaseException]:
    """The error and what it was made from; the HTTP client wraps the real one up to twice."""
    while wrong is not None:
        for name in ("certificate_error", "os_error"):
            inner = getattr(wrong, name, None)
            if isinstance(inner, BaseException):
                yield inner
        yield wrong
        wrong = wrong.__cause__


def _certificate(wrong: ssl.SSLCertVerificationError, access: Access) -> str:
    host = access.server_name or urlsplit(access.server).hostname
    if wrong.verify_code in _OTHER_NAME:
        return (
            f"has a certificate for other names than {host}: use one of those, or tls-server-name"
        )
    if wrong.verify_code == _EXPIRED:
        return "has a certificate that has expired: renew it there"
    if wrong.verify_code == _NOT_YET_VALID:
        return "has a certificate that is not valid yet: is the clock of this machine right?"
    if wrong.verify_code in _UNKNOWN_AUTHORITY:
        return f"has a certificate that {access.source or 'this machine'} gives no reason to trust"
    return f"has a certificate that we cannot accept: {wrong.verify_message}"


def _tls(wrong: ssl.SSLError) -> str:
    reason = (wrong.reason or str(wrong)).replace("_", " ").lower()
    if "certificate expired" in reason:
        return "refused our client certificate: it has expired"
    if "alert" in reason and "certificate" in reason:
        return f"refused our client certificate: {reason}"
    if "wrong version number" in reason or "http request" in reason:
        return "does not speak TLS at this address: is it http, or another port?"
    return f"failed at TLS: {reason}"
