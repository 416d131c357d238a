"""Whom an API server calls for, and whose figures that user gets."""

import pytest

from liqo.kube.authentication import Front
from liqo.metrics.callers import Caller, caller

FRONT = Front("PEM", frozenset({"front-proxy-client"}), ("X-Remote-User",), ("X-Remote-Group",))
ROME = {"x-remote-user": ["rome/milan"], "x-remote-group": ["rome", "system:authenticated"]}


def test_the_user_is_who_the_headers_say() -> None:
    groups = frozenset({"rome", "system:authenticated"})
    assert caller(FRONT, "front-proxy-client", ROME) == Caller("rome/milan", groups)


def test_a_certificate_of_another_name_is_not_a_front_proxy() -> None:
    assert caller(FRONT, "rome/milan", ROME) is None


def test_where_no_name_is_said_any_name_that_is_vouched_for_will_do() -> None:
    anyone = Front("PEM", frozenset(), ("X-Remote-User",), ("X-Remote-Group",))
    assert caller(anyone, "whoever", ROME) is not None


def test_nobody_is_nobody() -> None:
    assert caller(FRONT, "front-proxy-client", {"x-remote-group": ["system:masters"]}) is None


@pytest.mark.parametrize(
    ("groups", "sees"),
    [({"rome"}, True), ({"venice"}, False), ({"system:masters"}, True), (set[str](), False)],
)
def test_a_consumer_sees_its_own_and_an_administrator_all(groups: set[str], *, sees: bool) -> None:
    assert Caller("somebody", frozenset(groups)).may_see("rome") is sees
