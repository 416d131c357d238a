"""Who asks."""

from __future__ import annotations

import pytest

from liqo.kubelet.api.identity import User, certified, reviewed, token_of


def test_a_certificate_names_a_user_and_groups() -> None:
    subject = ((("organizationName", "system:masters"),), (("commonName", "apiserver"),))
    assert certified({"subject": subject}) == User(
        "apiserver", ("system:masters", "system:authenticated")
    )


@pytest.mark.parametrize("peer", [None, {}, {"subject": ((("commonName", ""),),)}])
def test_without_a_name_it_is_nobody(peer: dict[str, object] | None) -> None:
    assert certified(peer) is None


@pytest.mark.parametrize(
    ("header", "token"),
    [("Bearer abc", "abc"), ("bearer  abc ", "abc"), ("Basic abc", ""), ("", ""), ("Bearer", "")],
)
def test_a_token_is_behind_its_word(header: str, token: str) -> None:
    assert token_of(header) == token


def test_a_token_is_whom_the_api_server_says() -> None:
    user = {"username": "metrics", "uid": "1", "groups": ["g"], "extra": {"b": ["2"], "a": ["1"]}}
    review = {"status": {"authenticated": True, "user": user}}
    extra = (("a", ("1",)), ("b", ("2",)))
    assert reviewed(review) == User("metrics", ("g",), "1", extra)


@pytest.mark.parametrize(
    "status",
    [{}, {"authenticated": False, "user": {"username": "x"}}, {"authenticated": True, "user": {}}],
)
def test_a_token_of_nobody(status: dict[str, object]) -> None:
    assert reviewed({"status": status}) is None
