"""Requests and verdicts: who asks, and how a change is told to an API server."""

from __future__ import annotations

import pytest

from liqo.api.meta import JSON
from liqo.webhooks.review import ALLOW, Patch, User, completed, operations


@pytest.mark.parametrize(
    ("name", "groups", "is_peer"),
    [
        ("rome", ("liqo.io",), True),
        ("liqo-peer-user-rome-0123", (), True),
        ("system:serviceaccount:liqo:liqo-peer-rome", (), True),
        ("system:serviceaccount:liqo:liqo-controller-manager", (), False),
        ("system:node:liqo-peer-rome", (), False),
        ("jane", ("system:masters",), False),
    ],
)
def test_a_peer_is_known_by_its_group_or_by_the_name_it_was_given(
    name: str, groups: tuple[str, ...], is_peer: bool
) -> None:
    assert User(name, groups).is_peer is is_peer


@pytest.mark.parametrize(
    ("before", "change", "expected"),
    [
        ({}, {"a": 1}, [{"op": "add", "path": "/a", "value": 1}]),
        ({"a": 1}, {"a": 2}, [{"op": "add", "path": "/a", "value": 2}]),
        ({"a": {"b": 1}}, {"a": {"c": 2}}, [{"op": "add", "path": "/a/c", "value": 2}]),
        ({}, {"a": {"c": 2}}, [{"op": "add", "path": "/a", "value": {"c": 2}}]),
        ({"a": None}, {"a": {"c": 2}}, [{"op": "add", "path": "/a", "value": {"c": 2}}]),
        ({"a": 1}, {"a": None}, [{"op": "remove", "path": "/a"}]),
        ({}, {"a": None}, []),
        ({"a": {}}, {"a": {"x/y~z": 1}}, [{"op": "add", "path": "/a/x~1y~0z", "value": 1}]),
    ],
)
def test_a_change_becomes_a_patch_of_what_was_sent(
    before: JSON, change: JSON, expected: list[JSON]
) -> None:
    assert list(operations(before, change)) == expected


def test_a_completion_that_changes_nothing_is_an_allowance() -> None:
    assert completed({"spec": {}, "metadata": {}}) == ALLOW
    assert completed({"spec": {"a": 1}, "metadata": {}}) == Patch({"spec": {"a": 1}})
