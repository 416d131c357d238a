"""What can go wrong between us and an API server; the one place where an answer becomes an error.

    KubeError
    ├── Misconfigured     a kubeconfig that cannot be used: nothing was sent
    ├── Unreachable       no answer: name, route, TLS, time-out, cut connection
    ├── Expired           410: that resourceVersion is history, list again
    ├── Conflict          409: our view was stale, or the name is taken
    ├── NotFound          404: no such object, or the kind is not served
    ├── Throttled         429: later, please
    ├── Refused           the answer is no, and asking again will not change it
    │   ├── Unauthorized    401: who are you?
    │   ├── Forbidden       403: we know you, and you may not
    │   └── Invalid         400, 422 …: the request itself is wrong
    └── ServerFault       5xx, or an answer that makes no sense

Each says in its text which cluster it is about.
"""

from __future__ import annotations

import msgspec

from liqo.errors import LiqoError

TAKEN = "AlreadyExists"
"""The reason of the Conflict that says: something else has that name."""


class KubeError(LiqoError):
    """`reason` is the API server's own word for it, such as AlreadyExists; empty without one.

    `code` and `said` are the answer that it was made from, for who hands it on.
    """

    code: int = 0
    said: str = ""

    def __init__(self, message: str, *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class Misconfigured(KubeError):
    pass


class Unreachable(KubeError):
    """`sent` tells whether the request may have arrived; `lasting`, that asking again is vain."""

    def __init__(self, message: str, *, sent: bool = True, lasting: bool = False) -> None:
        super().__init__(message)
        self.sent = sent
        self.lasting = lasting


class Expired(KubeError):
    pass


class Conflict(KubeError):
    pass


class NotFound(KubeError):
    pass


class Throttled(KubeError):
    def __init__(self, message: str, *, reason: str = "", retry_after: float = 1.0) -> None:
        super().__init__(message, reason=reason)
        self.retry_after = retry_after


class Refused(KubeError):
    pass


class Unauthorized(Refused):
    """`newer` tells that other credentials have turned up since the request was sent."""

    def __init__(self, message: str, *, reason: str = "", newer: bool = False) -> None:
        super().__init__(message, reason=reason)
        self.newer = newer


class Forbidden(Refused):
    @property
    def is_of_a_webhook(self) -> bool:
        """It is the object that may not be so, whoever asks: of our rights this says nothing."""
        return "admission webhook" in str(self)


class Invalid(Refused):
    pass


class ServerFault(KubeError):
    pass


class _Details(msgspec.Struct):
    retry_after_seconds: float = msgspec.field(name="retryAfterSeconds", default=0.0)


class Status(msgspec.Struct):
    """The body of a refusal. Proxies and aggregated servers may answer with anything else."""

    message: str = ""
    reason: str = ""
    code: int = 0
    details: _Details | None = None


_BY_CODE: dict[int, type[KubeError]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Expired,
}
_status = msgspec.json.Decoder(Status)


def refusal(code: int, body: bytes, *, where: str, retry_after: str = "") -> KubeError:
    """The error for an HTTP answer that is not a success."""
    try:
        status = _status.decode(body)
    except msgspec.DecodeError:
        text = body.decode(errors="replace").strip()
        error = from_status(Status(message=text[:200]), code, where=where, retry_after=retry_after)
        error.said = text
        return error
    return from_status(status, code, where=where, retry_after=retry_after)


def from_status(status: Status, code: int, *, where: str, retry_after: str = "") -> KubeError:
    error = _error(status, code, where, retry_after)
    error.code, error.said = code, status.message
    return error


def _error(status: Status, code: int, where: str, retry_after: str) -> KubeError:
    message = f"{where}: {status.message or f'the API server answered {code}'}"
    if code == 429:
        wait = float(retry_after) if retry_after.isdigit() else 0.0
        wait = wait or (status.details.retry_after_seconds if status.details else 0.0) or 1.0
        return Throttled(message, reason=status.reason, retry_after=wait)
    known = _BY_CODE.get(code, Invalid if 400 <= code < 500 else ServerFault)
    return known(message, reason=status.reason)
