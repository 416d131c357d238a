"""The small language of --set."""

from typing import Any

import pytest

from liqo.errors import LiqoError
from liqo.install.assignments import parsed


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("tag=v1", {"tag": "v1"}),
        ("a.b=1,a.c=true", {"a": {"b": 1, "c": True}}),
        ("a=", {"a": ""}),
        ("a=null", {"a": None}),
        ("a=-3", {"a": -3}),
        ("a=007", {"a": "007"}),
        ("a={x,y}", {"a": ["x", "y"]}),
        ("a={}", {"a": []}),
        ("a={x},b=2", {"a": ["x"], "b": 2}),
        (
            r"labels.topology\.liqo\.io/region=north",
            {"labels": {"topology.liqo.io/region": "north"}},
        ),
        (r"a=x\,y", {"a": "x,y"}),
        ("a=b=c", {"a": "b=c"}),
    ],
)
def test_a_text_is_a_tree(text: str, tree: dict[str, Any]) -> None:
    assert parsed([text]) == tree


def test_several_texts_are_one_tree_and_the_last_word_wins() -> None:
    assert parsed(["a.b=1", "a.c=2", "a.b=3"]) == {"a": {"b": 3, "c": 2}}


def test_as_text_every_value_is_what_is_written() -> None:
    assert parsed(["a=1,b=true,c={1,x}"], as_text=True) == {"a": "1", "b": "true", "c": ["1", "x"]}


@pytest.mark.parametrize("text", ["tag", "=v1", "a=1,b"])
def test_what_is_no_assignment_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(LiqoError, match="key=value"):
        parsed([text])


def test_nothing_can_be_set_below_a_value() -> None:
    with pytest.raises(LiqoError, match='below "a"'):
        parsed(["a=1", "a.b=2"])
