"""An answer that is no success becomes one error of the tree."""

from __future__ import annotations

import msgspec
import pytest

from liqo.kube import errors
from liqo.kube.errors import KubeError, Throttled, refusal


def status(code: int, **more: object) -> bytes:
    return msgspec.json.encode({"kind": "Status", "code": code, "message": "because", **more})


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (400, errors.Invalid),
        (401, errors.Unauthorized),
        (403, errors.Forbidden),
        (404, errors.NotFound),
        (405, errors.Invalid),
        (409, errors.Conflict),
        (410, errors.Expired),
        (422, errors.Invalid),
        (429, errors.Throttled),
        (302, errors.ServerFault),
        (500, errors.ServerFault),
        (503, errors.ServerFault),
    ],
)
def test_each_code_has_its_error(code: int, expected: type[KubeError]) -> None:
    assert type(refusal(code, status(code), where="rome")) is expected


def test_an_error_says_which_cluster_and_why() -> None:
    error = refusal(409, status(409, reason="AlreadyExists"), where="rome")
    assert str(error) == "rome: because"
    assert error.reason == "AlreadyExists"


@pytest.mark.parametrize(
    ("message", "of_a_webhook"),
    [
        ('tenants is forbidden: User "rome" cannot create resource "tenants"', False),
        ('admission webhook "tenant.liqo.io" denied the request: a Tenant already exists', True),
    ],
)
def test_what_a_webhook_forbids_is_no_question_of_rights(message: str, of_a_webhook: bool) -> None:
    error = refusal(403, status(403, message=message), where="milan")
    assert isinstance(error, errors.Forbidden)
    assert error.is_of_a_webhook is of_a_webhook


def test_an_error_keeps_what_was_said_for_who_hands_it_on() -> None:
    error = refusal(400, status(400), where="rome")
    assert (error.code, error.said) == (400, "because")
    assert (KubeError("no answer").code, KubeError("no answer").said) == (0, "")


def test_an_answer_that_is_not_a_status_is_quoted() -> None:
    assert str(refusal(404, b"404 page not found\n", where="rome")) == "rome: 404 page not found"
    long = refusal(500, b"x" * 1000, where="rome")
    assert (len(str(long)), len(long.said)) == (206, 1000)


def test_an_answer_without_a_word_still_makes_a_sentence() -> None:
    assert str(refusal(502, b"", where="rome")) == "rome: the API server answered 502"


@pytest.mark.parametrize(
    ("header", "details", "seconds"),
    [("3", None, 3.0), ("", {"retryAfterSeconds": 7}, 7.0), ("", None, 1.0), ("soon", None, 1.0)],
)
def test_throttling_says_how_long(header: str, details: object, seconds: float) -> None:
    error = refusal(429, status(429, details=details), where="rome", retry_after=header)
    assert isinstance(error, Throttled)
    assert error.retry_after == seconds
