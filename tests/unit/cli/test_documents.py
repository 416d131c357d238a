"""YAML as kubectl writes it."""

import pytest
import yaml

from liqo.cli.documents import as_yaml, in_order


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("true", '"true"'),
        ("2", '"2"'),
        ("null", '"null"'),
        ("4Gi", "4Gi"),
        ("milan", "milan"),
        (None, "null"),
        (True, "true"),
        ({}, "{}"),
        ("2026-11-16", '"2026-11-16"'),
        ("", '""'),
    ],
)
def test_only_what_would_be_another_type_is_quoted(value: object, text: str) -> None:
    assert as_yaml({"key": value}) == f"key: {text}\n"


def test_it_can_be_read_back() -> None:
    value = {"b": ["x", {"y": "1e3"}], "a": "two\nlines\n", "long": "word " * 60 + "end"}
    assert yaml.safe_load(as_yaml(value)) == value
    assert as_yaml(value).startswith("b:\n")


def test_keys_are_put_in_order_at_every_level() -> None:
    value = {"b": [{"y": 1, "x": 2}], "a": {"d": 1, "c": 2}, "A": 0}
    assert as_yaml(in_order(value)) == "A: 0\na:\n  c: 2\n  d: 1\nb:\n- x: 2\n  y: 1\n"
