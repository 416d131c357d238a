"""What a kubelet says, in the form that the API server passes on to people."""

from __future__ import annotations

import msgspec
import pytest

from liqo.kube.errors import Unreachable, refusal
from liqo.kubelet.api.answer import (
    JSON_TYPE,
    NOT_FOUND,
    Answer,
    not_upgraded,
    raw,
    refused,
    refused_to_a_user,
)

FORBIDDEN = b'{"message":"is forbidden: no","reason":"Forbidden","code":403}'


def test_what_the_provider_says_is_said_without_its_wrapping() -> None:
    body = b'{"message":"Internal error occurred: no such runtime","code":500}'
    assert refused(refusal(500, body, where="milan")) == Answer(500, b"no such runtime")
    plain = refusal(404, b'container not found ("web")', where="milan")
    assert refused(plain) == Answer(404, b'container not found ("web")')


def test_a_provider_that_does_not_answer_is_named() -> None:
    assert refused(Unreachable("The API server of milan was lost")) == Answer(
        500, b"The API server of milan was lost"
    )


@pytest.mark.parametrize("code", [401, 403])
def test_that_the_provider_does_not_let_us_is_not_told_as_if_it_were_the_user(code: int) -> None:
    error = refusal(code, FORBIDDEN, where="milan")
    assert refused_to_a_user(error) == Answer(500, b"milan: is forbidden: no")
    assert refused(error) == Answer(code, b"is forbidden: no")  # to who looks for figures


def test_of_an_upgrade_only_the_text_of_a_kubelet_is_told_as_text() -> None:
    plain = refusal(404, b'container not found ("web")', where="milan")
    assert not_upgraded(plain) == refused(plain)
    late = b'{"message":"etcd: too late","reason":"Timeout","code":504}'
    for error, code, message, reason in (
        (refusal(504, late, where="milan"), 504, "etcd: too late", "Timeout"),
        (
            Unreachable("milan was lost: timed out"),
            500,
            "milan was lost: timed out",
            "InternalError",
        ),
        (refusal(403, FORBIDDEN, where="milan"), 500, "milan: is forbidden: no", "InternalError"),
        (refusal(401, b"Unauthorized", where="milan"), 500, "milan: Unauthorized", "InternalError"),
    ):
        told = not_upgraded(error)
        assert (told.code, told.content_type) == (code, JSON_TYPE)
        status = msgspec.json.decode(told.body)
        assert (status["message"], status["reason"]) == (message, reason)


def test_an_answer_by_hand_ends_its_connection() -> None:
    head, _, body = raw(NOT_FOUND).partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "HTTP/1.1 404 Not Found"
    assert {f"Content-Length: {len(body)}", "Connection: close"} < set(lines)
    assert raw(Answer(599, b"")).startswith(b"HTTP/1.1 599 \r\n")
