"""Answers of a kubelet: plain text as a rule, because the API server makes sentences of it."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

import msgspec

from liqo.kube.errors import KubeError

PLAIN = "text/plain"
JSON_TYPE = "application/json"
WRAPPED = "Internal error occurred: "  # the API server at home says it again


@dataclass(frozen=True)
class Answer:
    code: int
    body: bytes
    content_type: str = PLAIN


@dataclass(frozen=True)
class Streamed:
    """What the provider's API server says at this path, as it comes."""

    path: str
    follows: bool = False  # it may be silent for as long as it likes


def said(code: HTTPStatus, text: str) -> Answer:
    return Answer(code, text.encode())


def refused(error: KubeError) -> Answer:
    """What the provider says of its pod is true of ours; all else is our fault, and says so."""
    text = error.said.removeprefix(WRAPPED) or str(error)
    return Answer(error.code or HTTPStatus.INTERNAL_SERVER_ERROR, text.encode())


def refused_to_a_user(error: KubeError) -> Answer:
    """Who asks for a pod is not the one whom the provider does not know, or does not let."""
    if _is_about_us(error):
        return said(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))
    return refused(error)


def not_upgraded(error: KubeError) -> Answer:
    """The same to a client of streams: what is not a kubelet's own text is told in JSON.

    They try to read a text as YAML first, and one with a colon in it is YAML without a message.
    """
    told, about_us = refused_to_a_user(error), _is_about_us(error)
    if not about_us and not error.reason:
        return told
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": told.body.decode() if about_us else error.said,
        "reason": "InternalError" if about_us else error.reason,
        "code": told.code,
    }
    return Answer(told.code, msgspec.json.encode(status), JSON_TYPE)


def _is_about_us(error: KubeError) -> bool:
    return error.code in (0, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


def raw(answer: Answer) -> bytes:
    """As bytes, for a connection that no library has; it ends with it."""
    phrase = HTTPStatus(answer.code).phrase if answer.code in _KNOWN else ""
    head = (
        f"HTTP/1.1 {answer.code} {phrase}\r\n"
        f"Content-Type: {answer.content_type}; charset=utf-8\r\n"
        f"Content-Length: {len(answer.body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode() + answer.body


_KNOWN = frozenset(map(int, HTTPStatus))
NOT_FOUND = said(HTTPStatus.NOT_FOUND, "404 page not found\n")
NO_SUCH_METHOD = said(HTTPStatus.METHOD_NOT_ALLOWED, "405: Method Not Allowed")
NO_SUCH_POD = said(HTTPStatus.NOT_FOUND, "pod does not exist")
