"""Room for pods: what is short, who keeps its place, and what no single node has."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liqo.api.meta import Key
from liqo.rules.fit import (
    Bound,
    Displaced,
    Shortage,
    displaced,
    in_all,
    is_enough,
    largest,
    shortage,
    too_large,
)
from liqo.rules.quantity import parse
from liqo.rules.usage import Amounts, amounts


def of(**written: str) -> Amounts:
    return amounts(written)


def short(resource: str, asked: str, left: str) -> Shortage:
    return Shortage(resource, parse(asked), parse(left))


@pytest.mark.parametrize(
    ("asked", "room", "expected"),
    [
        (of(cpu="2"), of(cpu="2"), None),
        (of(cpu="2"), of(cpu="1500m"), short("cpu", "2", "1500m")),
        (of(memory="2Gi", cpu="2"), of(cpu="1", memory="1Gi"), short("cpu", "2", "1")),
        (of(gpu="1"), of(cpu="1"), short("gpu", "1", "0")),
        (of(gpu="0"), of(cpu="1"), None),
        ({}, {}, None),
        (of(cpu="1"), {"cpu": -5}, short("cpu", "1", "0")),
    ],
)
def test_what_is_short_is_told(asked: Amounts, room: Amounts, expected: Shortage | None) -> None:
    assert shortage(asked, room) == expected


def test_amounts_are_told_as_one_writes_them() -> None:
    found = shortage(of(memory="2048Mi"), of(memory="1024Mi"))
    assert found is not None
    assert (str(found.asked), str(found.left)) == ("2Gi", "1Gi")


def pod(name: str, minute: int, **asked: str) -> Bound:
    return Bound(Key("shop", name), f"2026-11-15T10:{minute:02}:00Z", of(**asked))


@pytest.mark.parametrize(
    ("offered", "asked", "expected"),
    [
        (of(cpu="2", pods="2"), of(cpu="2", pods="2"), True),
        (of(cpu="2", pods="2"), of(cpu="2001m", pods="1"), False),
        (of(cpu="2", pods="2"), of(cpu="1", pods="3"), False),
        (of(cpu="2"), of(cpu="1", pods="3"), True),
        (of(cpu="2"), of(cpu="1", gpu="1"), False),
        (of(cpu="2"), of(cpu="1", gpu="0"), True),
        ({"cpu": -5}, of(cpu="0"), True),
        ({}, {}, True),
    ],
)
def test_an_offer_is_enough_for_all_or_it_is_not(
    offered: Amounts, asked: Amounts, expected: bool
) -> None:
    assert is_enough(offered, asked) is expected


@given(st.lists(st.integers(0, 4)), st.integers(0, 20), st.booleans())
def test_where_an_offer_is_enough_for_all_nobody_is_displaced(
    sizes: list[int], cpu: int, counts: bool
) -> None:
    pods = [pod(f"web-{number}", 1, cpu=str(size), pods="1") for number, size in enumerate(sizes)]
    offered = of(cpu=str(cpu), **({"pods": "3"} if counts else {}))
    assert is_enough(offered, in_all(pods)) == (not displaced(pods, offered))


def test_the_oldest_keep_their_place() -> None:
    pods = [pod("new", 3, cpu="2"), pod("old", 1, cpu="2"), pod("older", 0, cpu="1")]
    assert displaced(pods, of(cpu="4")) == (Displaced(Key("shop", "new"), short("cpu", "2", "1")),)
    assert displaced(pods, of(cpu="5")) == ()


def test_who_does_not_fit_takes_no_place_from_the_younger() -> None:
    pods = [pod("large", 1, cpu="8"), pod("small", 2, cpu="1")]
    gone = displaced(pods, of(cpu="4"))
    assert [each.key.name for each in gone] == ["large"]


def test_of_two_that_are_as_old_the_first_by_name_keeps_its_place() -> None:
    pods = [pod("b", 1, cpu="1"), pod("a", 1, cpu="1")]
    assert [each.key.name for each in displaced(pods, of(cpu="1"))] == ["b"]


def test_what_is_no_longer_offered_at_all_is_none() -> None:
    assert [each.short.resource for each in displaced([pod("ai", 1, gpu="1")], of(cpu="4"))] == [
        "gpu"
    ]


def test_what_pods_ask_for_is_added_up() -> None:
    pods = [pod("a", 1, cpu="500m", gpu="1"), pod("b", 2, cpu="1500m")]
    assert in_all(pods) == of(cpu="2", gpu="1")


def test_pods_are_counted_where_the_offer_counts_them() -> None:
    pods = [pod("a", 1, pods="1"), pod("b", 2, pods="1")]
    assert displaced(pods, of(cpu="4")) == ()
    assert [each.key.name for each in displaced(pods, of(pods="1"))] == ["b"]


CORES = st.integers(0, 5)
PODS = st.lists(st.tuples(st.integers(0, 9), CORES, CORES), max_size=8)


@given(PODS, CORES, CORES, st.randoms())
def test_whoever_stays_fits_and_order_does_not_matter(
    made: list[tuple[int, int, int]], cpu: int, gpu: int, chance: Any
) -> None:
    pods = [
        pod(f"pod-{number}", minute, cpu=str(cores), gpu=str(devices))
        for number, (minute, cores, devices) in enumerate(made)
    ]
    offered = of(cpu=str(cpu), gpu=str(gpu))
    gone = displaced(pods, offered)
    keys = {each.key for each in gone}
    for resource in offered:
        stays = sum(each.asked[resource] for each in pods if each.key not in keys)
        assert stays <= offered[resource]
    chance.shuffle(pods)
    assert displaced(pods, offered) == gone


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("cpu=25,memory=60Gi", of(cpu="25", memory="60Gi")),
        ("cpu=25, nvidia.com/gpu=1", {**of(cpu="25"), "nvidia.com/gpu": 10**9}),
        ("", {}),
        ("cpu=many", {}),
        ("cpu", {}),
    ],
)
def test_the_largest_pod_is_read_from_the_note_of_the_node(note: str, expected: Amounts) -> None:
    assert largest(note) == expected


@pytest.mark.parametrize(
    ("asked", "note", "expected"),
    [
        (of(cpu="30"), "cpu=25", short("cpu", "30", "25")),
        (of(cpu="25"), "cpu=25", None),
        (of(cpu="30"), "memory=1Gi", None),
        (of(cpu="30"), "", None),
        (of(cpu="1"), "cpu=0", short("cpu", "1", "0")),
    ],
)
def test_a_pod_that_no_single_node_has_room_for_is_found(
    asked: Amounts, note: str, expected: Shortage | None
) -> None:
    assert too_large(asked, note) == expected
