"""Amounts of nodes: which can be, and what is made of those that cannot."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liqo.rules.amounts import check_amount, counted


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("cpu", "500m"),
        ("cpu", "0"),
        ("cpu", 4),
        ("memory", "4Gi"),
        ("memory", "1.5Gi"),
        ("memory", "2000m"),
        ("memory", "1181116006400m"),  # 1.1Gi, as the original writes it
        ("ephemeral-storage", "100m"),
        ("hugepages-2Mi", "0.5"),
        ("pods", "110"),
        ("nvidia.com/gpu", 1),
        ("memory", "9223372036854775806"),
    ],
)
def test_an_amount_that_can_be_stays_as_it_was_written(name: str, written: str | int) -> None:
    assert check_amount(name, written) == ""
    assert counted({name: written}) == {name: written}


@pytest.mark.parametrize(
    ("name", "written", "problem", "cut"),
    [
        ("cpu", "many", '"many" is not a quantity; "500m", "2" and "4Gi" are', "0"),
        ("cpu", "-1", "cpu cannot be negative, and -1 is", "0"),
        ("cpu", -4, "cpu cannot be negative, and -4 is", "0"),
        (
            "memory",
            "1e30",
            "1e30 of memory is more than Kubernetes can count",
            "9223372036854775806",
        ),
        (
            "memory",
            "8Ei",
            "8Ei of memory is more than Kubernetes can count",
            "9223372036854775806",
        ),
        ("pods", "1.5", "pods comes in whole numbers, and 1.5 is none", "1"),
        ("pods", "1500m", "pods comes in whole numbers, and 1500m is none", "1"),
        (
            "nvidia.com/gpu",
            "500m",
            "nvidia.com/gpu comes in whole numbers, and 500m is none",
            "0",
        ),
    ],
)
def test_any_other_is_refused_and_cut_where_it_is_there(
    name: str, written: str | int, problem: str, cut: str
) -> None:
    assert check_amount(name, written) == problem
    assert counted({name: written}) == {name: cut}


def test_of_a_long_mistake_not_all_is_repeated() -> None:
    assert len(check_amount("cpu", "-" + "9" * 90)) < 100


@given(st.text() | st.integers())
def test_what_is_cut_can_be(written: str | int) -> None:
    for name, amount in counted({"cpu": written, "pods": written}).items():
        assert check_amount(name, amount) == ""
