"""Sums are read as they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liqo.rules.capacity import ROUNDINGS, Free, Rounding, explained, offer
from liqo.rules.quantity import NANO
from liqo.rules.sums import Share, taken_apart


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("floor(0.9 × (100 − 50))", Share(90, "floor", "100", "50")),
        ("floor(0.9 × 1)", Share(90, "floor", "1")),
        ("at-least-one(0.07 × 1)", Share(7, "at-least-one", "1")),
        ("ceil(1 × (100Gi − 512Mi))", Share(100, "ceil", "100Gi", "512Mi")),
        ("min(60, floor(0.9 × (100 − 50)))", Share(90, "floor", "100", "50", "60")),
        ("min(60, floor(0.9 × 100))", Share(90, "floor", "100", asked="60")),
        ("min(60, floor(0.9 × 100)", None),
        ("floor(0.9 × 100))", None),
        ("what I say", None),
        ("", None),
    ],
)
def test_its_inputs_are_found(text: str, expected: Share | None) -> None:
    assert taken_apart(text) == expected


@given(
    st.integers(1, 100),
    st.sampled_from(ROUNDINGS),
    st.integers(0, 500),
    st.integers(0, 500),
    st.none() | st.integers(0, 500),
)
def test_whatever_an_offer_explains_is_taken_apart(
    percentage: int, rounding: Rounding, free: int, requested: int, asked: int | None
) -> None:
    found = {"cpu": Free((free + requested) * NANO, free * NANO)}
    wanted = {} if asked is None else {"cpu": asked}
    [line] = explained(offer(found, 1, percentage, rounding, dict(wanted))).lines
    read = taken_apart(line.sum)
    assert read is not None
    assert (read.percentage, read.rounding) == (percentage, rounding)
