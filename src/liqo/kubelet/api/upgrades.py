"""Requests that leave HTTP behind: where on the provider they go, and with which headers."""

from __future__ import annotations

from http import HTTPStatus

from liqo.api.meta import Key
from liqo.kube.upgrade import Upgrade
from liqo.kubelet.api import attach, portforward
from liqo.kubelet.api.answer import NO_SUCH_METHOD, NO_SUCH_POD, NOT_FOUND, Answer, said
from liqo.kubelet.api.exec import path as exec_path
from liqo.kubelet.api.head import Head
from liqo.kubelet.api.twins import Twins

# All others stay: the provider is asked by us, not by whoever asked us.
PASSED = ("x-stream-protocol-version", "sec-websocket-")
METHODS = frozenset({"GET", "POST"})


def wanted(head: Head, twins: Twins) -> Upgrade | Answer:
    match head.target.parts:
        case ["exec" | "attach" | "portForward", namespace, pod, *rest]:
            twin = twins.of(Key(namespace, pod))
        case _:
            return NOT_FOUND
    if head.method not in METHODS:
        return NO_SUCH_METHOD
    if twin is None:
        return NO_SUCH_POD
    try:
        path = _path(head, twin, rest)
    except ValueError as wrong:
        return said(HTTPStatus.BAD_REQUEST, str(wrong))
    passed = [(name, value) for name, value in head.headers if name.startswith(PASSED)]
    return Upgrade(head.method, path, head.upgrade, passed) if path else NOT_FOUND


def _path(head: Head, twin: Key, rest: list[str]) -> str:
    query = head.target.query
    match head.target.parts[0], rest:
        case "exec", [container]:
            return exec_path(twin, container, query)
        case "attach", [container]:
            return attach.path(twin, container, query)
        case "portForward", []:
            return portforward.path(twin, query)
    return ""
