"""Conditions for the API server. That it understands them is shown on a real one."""

from __future__ import annotations

import pytest

from liqo.webhooks import conditions
from liqo.webhooks.conditions import all_of, annotated, labelled, trespass

ALL = [name for name in vars(conditions) if name.isupper()]


def test_a_label_is_looked_at_only_where_there_are_some() -> None:
    assert labelled("object", "colour", "'red'") == (
        "has(object.metadata.labels) && 'colour' in object.metadata.labels && "
        "object.metadata.labels['colour'] == 'red'"
    )


def test_so_is_an_annotation() -> None:
    assert annotated("object", "colour") == (
        "(has(object.metadata.annotations) && 'colour' in object.metadata.annotations)"
    )


def test_conditions_keep_to_themselves_when_they_are_joined() -> None:
    assert all_of("a || b", "", "c") == "(a || b) && (c)"


def test_what_a_peer_deletes_of_its_own_is_not_asked_about() -> None:
    assert trespass("mine").endswith("&& (request.operation != 'DELETE' || !(mine))")


@pytest.mark.parametrize("name", ALL)
def test_every_parenthesis_is_closed(name: str) -> None:
    expression = getattr(conditions, name)
    assert expression.count("(") == expression.count(")")
    assert "{" not in expression
