"""What is asked for, as it stands on the wire."""

from __future__ import annotations

import pytest

from liqo.kubelet.api.head import Head, Target, parse, target

EXEC = (
    b"POST /exec/shop/web/web?command=a%20b&input=1 HTTP/1.1\r\n"
    b"Host: 10.71.0.7:10250\r\n"
    b"Connection: keep-alive, Upgrade\r\n"
    b"Upgrade: SPDY/3.1\r\n"
    b"X-Stream-Protocol-Version: v5.channel.k8s.io\r\n"
    b"X-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n"
)


def test_a_head_is_a_method_a_target_and_headers() -> None:
    head = parse(EXEC)
    assert (head.method, head.target) == (
        "POST",
        Target("/exec/shop/web/web", "command=a%20b&input=1"),
    )
    assert head.target.parts == ["exec", "shop", "web", "web"]
    assert head.first("host") == "10.71.0.7:10250"
    assert head.all("x-stream-protocol-version") == ["v5.channel.k8s.io", "v4.channel.k8s.io"]
    assert head.first("authorization") == ""


def test_http_is_left_only_where_the_connection_is_told_so() -> None:
    assert parse(EXEC).upgrade == "SPDY/3.1"
    assert Head("GET", Target("/"), (("upgrade", "websocket"),)).upgrade == ""
    assert Head("GET", Target("/"), (("connection", "upgrade"),)).upgrade == ""


def test_a_path_is_unescaped_and_not_resolved() -> None:
    assert target("/stats/%2e%2e/exec").path == "/stats/../exec"


@pytest.mark.parametrize(
    "garbage",
    [
        b"\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"GET / HTTP/2.0\r\n\r\n",
        b"GET http://elsewhere/ HTTP/1.1\r\n\r\n",
        b"G\x00T / HTTP/1.1\r\n\r\n",
        b"GET /a b HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\n folded: line\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: a\nImpersonate-User: b\r\n\r\n",
    ],
)
def test_what_is_no_head_is_refused(garbage: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever is wrong, the answer is one
        parse(garbage)
