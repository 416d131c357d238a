"""`/healthz`: that an answer comes at all is the health, the event loop turns."""

from __future__ import annotations

from http import HTTPStatus

from liqo.kubelet.api.answer import Answer, said


def answer() -> Answer:
    return said(HTTPStatus.OK, "ok")
