"""What leaves HTTP, and where it goes."""

from __future__ import annotations

import pytest

from liqo.kube.upgrade import Upgrade
from liqo.kubelet.api.answer import NO_SUCH_METHOD, NO_SUCH_POD, NOT_FOUND, Answer
from liqo.kubelet.api.head import Head, target
from liqo.kubelet.api.upgrades import wanted
from tests.unit.kubelet.api.things import a_pod, known

THERE = "/api/v1/namespaces/shop-rome/pods/web"
UPGRADE = (("connection", "Upgrade"), ("upgrade", "SPDY/3.1"))


def asked(path: str, method: str = "POST", *headers: tuple[str, str]) -> Upgrade | Answer:
    return wanted(Head(method, target(path), (*UPGRADE, *headers)), known(a_pod("web")))


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("/exec/shop/web/main?output=1", "/exec?container=main&stdout=true"),
        ("/attach/shop/web/main?output=1", "/attach?container=main&stdout=true"),
        ("/portForward/shop/web", "/portforward"),
    ],
)
def test_each_has_its_place_on_the_provider(path: str, there: str) -> None:
    assert asked(path) == Upgrade("POST", THERE + there, "SPDY/3.1", [])


def test_only_headers_of_the_protocol_travel() -> None:
    protocols = [("x-stream-protocol-version", "v5"), ("x-stream-protocol-version", "v4")]
    others = [("impersonate-user", "admin"), ("authorization", "Bearer x"), ("host", "rome")]
    sockets = [("sec-websocket-key", "k")]
    upgrade = asked("/portForward/shop/web", "GET", *protocols, *others, *sockets)
    assert isinstance(upgrade, Upgrade)
    assert upgrade.headers == [*protocols, *sockets]


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/exec/shop/other/main?output=1", NO_SUCH_POD),
        ("/exec/shop/web?output=1", NOT_FOUND),
        ("/portForward/shop/web/main", NOT_FOUND),
        ("/run/shop/web/main", NOT_FOUND),
        ("/", NOT_FOUND),
        (
            "/exec/shop/web/main",
            Answer(400, b"you must specify at least 1 of stdin, stdout, stderr"),
        ),
    ],
)
def test_what_is_not_there(path: str, answer: Answer) -> None:
    assert asked(path) == answer


def test_no_other_method_upgrades() -> None:
    assert asked("/exec/shop/web/main?output=1", "PUT") == NO_SUCH_METHOD
