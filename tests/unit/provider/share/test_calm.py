"""Calm: what is in the range is surely no large change, and most of what is small is in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liqo.api.values import ResourceList
from liqo.provider.share.calm import ranges
from liqo.provider.share.patience import is_large
from liqo.rules.capacity import ROUNDINGS, Free, Offer, Rounding, offer
from liqo.rules.quantity import NANO

NAMES = ("cpu", "memory", "pods", "nvidia.com/gpu", "hugepages-2Mi")
amounts = st.integers(0, 2_000 * NANO) | st.integers(0, 2**40 * NANO)


def an_offer(
    name: str, free: int, asked: ResourceList, percentage: int = 90, rounding: Rounding = "floor"
) -> Offer:
    return offer({name: Free(2**41 * NANO, free)}, 1, percentage, rounding, asked)


@given(
    st.sampled_from(NAMES),
    amounts,
    amounts | st.integers(-100, 100),
    st.tuples(st.integers(1, 100), st.sampled_from(ROUNDINGS)),
    st.sampled_from([{}, {"cpu": "0"}, {"cpu": "4", "memory": "1Gi", "pods": "1500m"}]),
)
def test_what_is_in_the_range_is_no_large_change(
    name: str, free: int, then: int, sharing: tuple[int, Rounding], asked: ResourceList
) -> None:
    then = max(0, then if then > 100 else free + then * free // 1000)  # also a little more or less
    made = an_offer(name, free, asked, *sharing)
    there = an_offer(name, then, asked, *sharing)
    range_ = ranges(made)[name]
    assert free in range_
    assert then not in range_ or not is_large(made.resources, there.resources)


@pytest.mark.parametrize(
    ("name", "free", "asked", "then", "calm"),
    [
        ("cpu", 100, {}, 96, True),
        ("cpu", 100, {}, 95, False),
        ("cpu", 100, {}, 104, True),
        ("cpu", 100, {}, 105, False),
        ("cpu", 100, {"cpu": "4"}, 5, True),
        ("cpu", 100, {"cpu": "4"}, 4, False),
        ("cpu", 100, {"cpu": "4"}, 1_000, True),
        ("nvidia.com/gpu", 4, {}, 4, True),
        ("nvidia.com/gpu", 4, {}, 3, False),
        ("nvidia.com/gpu", 4, {}, 5, False),
        ("pods", 0, {}, 0, True),
        ("pods", 0, {}, 2, False),
        ("memory", 2**30, {}, 2**30 + 2**24, True),
    ],
)
def test_what_differs_little_is_in_it(
    name: str, free: int, asked: ResourceList, then: int, calm: bool
) -> None:
    assert (then * NANO in ranges(an_offer(name, free * NANO, asked))[name]) is calm
