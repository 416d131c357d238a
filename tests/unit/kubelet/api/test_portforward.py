"""Ports of a pod."""

from __future__ import annotations

from liqo.api.meta import Key
from liqo.kubelet.api.portforward import path

START = "/api/v1/namespaces/shop-rome/pods/web/portforward"


def test_ports_that_are_said_at_once_are_called_otherwise_there() -> None:
    assert path(Key("shop-rome", "web"), "port=80&port=443&x=1") == f"{START}?ports=80&ports=443"


def test_ports_may_be_said_later() -> None:
    assert path(Key("shop-rome", "web"), "") == START
