"""Shares: the seed's numbers, and laws that hold for all numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liqo.api.values import ResourceList
from liqo.rules.capacity import (
    ROUNDINGS,
    Free,
    Offer,
    Rounding,
    Sharing,
    check_percentage,
    check_rounding,
    explained,
    offer,
    shared,
    unit_of,
)
from liqo.rules.explanation import read, written
from liqo.rules.quantity import NANO, parse

few, many = st.integers(0, 10**6), st.integers(0, 10**13)  # of memory, a few are less than a unit
amounts = (few | many).map(lambda number: number * NANO // 8)
resources = st.sampled_from(
    ["cpu", "memory", "pods", "nvidia.com/gpu", "hugepages-2Mi", "ephemeral-storage"]
)


def made(
    name: str, allocatable: str, free: str, rounding: Rounding = "floor", percentage: int = 90
) -> Offer:
    found = Free(parse(allocatable).nano, parse(free).nano, (parse(free).nano,))
    return offer({name: found}, 1, percentage, rounding, {})


@pytest.mark.parametrize(
    ("name", "allocatable", "free", "rounding", "said"),
    [
        ("cpu", "100", "100", "floor", "cpu 90 = floor(0.9 × 100)"),
        ("cpu", "100", "50", "floor", "cpu 45 = floor(0.9 × (100 − 50))"),
        ("cpu", "200", "200", "floor", "cpu 180 = floor(0.9 × 200)"),
        ("cpu", "3", "1", "floor", "cpu 900m = floor(0.9 × (3 − 2))"),
        (
            "nvidia.com/gpu",
            "1",
            "1",
            "floor",
            "nvidia.com/gpu 0 = floor(0.9 × 1): use at-least-one",
        ),
        ("nvidia.com/gpu", "1", "1", "at-least-one", "nvidia.com/gpu 1 = at-least-one(0.9 × 1)"),
        (
            "nvidia.com/gpu",
            "1",
            "0",
            "at-least-one",
            "nvidia.com/gpu 0 = at-least-one(0.9 × (1 − 1))",
        ),
        ("nvidia.com/gpu", "4", "4", "floor", "nvidia.com/gpu 3 = floor(0.9 × 4)"),
        ("nvidia.com/gpu", "4", "4", "ceil", "nvidia.com/gpu 4 = ceil(0.9 × 4)"),
        ("memory", "8Gi", "8Gi", "floor", "memory 7372Mi = floor(0.9 × 8Gi)"),
        ("hugepages-2Mi", "8Mi", "8Mi", "floor", "hugepages-2Mi 6Mi = floor(0.9 × 8Mi)"),
        ("pods", "110", "100", "floor", "pods 90 = floor(0.9 × (110 − 10))"),
    ],
)
def test_a_share_says_how_it_is_made(
    name: str, allocatable: str, free: str, rounding: Rounding, said: str
) -> None:
    assert written(explained(made(name, allocatable, free, rounding))).split("\n")[0] == said


def test_who_asks_for_less_gets_less() -> None:
    there = {"cpu": Free(100 * NANO, 100 * NANO)}
    asked: ResourceList = {"cpu": 10, "amd.com/gpu": "1"}
    less = offer(there, 1, 90, "floor", asked)
    assert less.resources == {"cpu": "10", "amd.com/gpu": "0"}
    assert less.rounded_away == ()
    assert written(explained(less)).split("\n") == [
        "amd.com/gpu 0 = min(1, floor(0.9 × 0))",
        "cpu 10 = min(10, floor(0.9 × 100))",
    ]


def test_who_asks_for_a_part_of_what_has_none_gets_whole_ones() -> None:
    there = {name: Free(8 * NANO, 8 * NANO) for name in ("pods", "nvidia.com/gpu", "cpu")}
    asked: ResourceList = {"pods": "1500m", "nvidia.com/gpu": "500m", "cpu": "500m"}
    less = offer(there, 1, 90, "floor", asked)
    assert less.resources == {"pods": "1", "nvidia.com/gpu": "0", "cpu": "500m"}
    assert "pods 1 = min(1500m, floor(0.9 × 8))" in written(explained(less))


def test_who_asks_for_none_misses_nothing() -> None:
    one = {"nvidia.com/gpu": Free(NANO, NANO)}
    assert offer(one, 1, 90, "floor", {}).rounded_away == ("nvidia.com/gpu",)
    assert offer(one, 1, 90, "floor", {"nvidia.com/gpu": "0"}).rounded_away == ()


@pytest.mark.parametrize("amount", ["-1", "abc", "1e9999"])
def test_what_is_no_amount_is_none(amount: str) -> None:
    there = {"cpu": Free(100 * NANO, 100 * NANO)}
    assert offer(there, 1, 90, "floor", {"cpu": amount}).resources == {"cpu": "0"}


def test_a_page_of_no_size_is_one_byte() -> None:
    assert unit_of("hugepages-huge") == unit_of("hugepages-") == NANO


def test_without_a_node_it_is_said() -> None:
    [line] = explained(offer({"cpu": Free(0, 0)}, 0, 90, "floor", {})).lines
    assert str(line) == "cpu 0 = floor(0.9 × 0): no node is ready and takes pods"


@pytest.mark.parametrize("written", ["1", "9", "10", "99", "100"])
def test_a_percentage_is_a_whole_number_from_1_to_100(written: str) -> None:
    assert check_percentage(written) == ""


@pytest.mark.parametrize("written", ["", "0", "00", "05", "101", "1000", "-1", "1.5", "abc", "²"])
def test_nothing_else_is(written: str) -> None:
    assert check_percentage(written)


def test_a_rounding_is_known_by_its_name() -> None:
    assert [check_rounding(each) for each in ROUNDINGS] == [""] * 3
    assert check_rounding("up") == (
        '"up" is not a rounding: it must be one of floor, ceil, at-least-one'
    )


def test_a_peer_may_have_another_percentage() -> None:
    sharing = Sharing(90, of_peers={"rome": 50})
    assert [sharing.with_peer(each) for each in ("rome", "turin")] == [50, 90]


@pytest.mark.parametrize(
    ("unknown", "rome", "turin"),
    [
        (set(), "", ""),
        ({"percentage"}, "", "percentage"),
        ({"percentage.turin"}, "", "percentage.turin"),
        ({"percentage", "percentage.rome"}, "percentage.rome", "percentage"),
        ({"rounding"}, "rounding", "rounding"),
    ],
)
def test_a_share_is_not_known_without_the_settings_that_it_is_made_of(
    unknown: set[str], rome: str, turin: str
) -> None:
    of_peers = {} if "percentage.rome" in unknown else {"rome": 50}
    sharing = Sharing(of_peers=of_peers, unknown=frozenset(unknown))
    assert [sharing.missing(each) for each in ("rome", "turin")] == [rome, turin]


@given(resources, amounts, st.integers(1, 100), st.sampled_from(ROUNDINGS))
def test_a_share_is_whole_and_never_more_than_there_is(
    name: str, free: int, percentage: int, rounding: Rounding
) -> None:
    found = shared(name, free, percentage, rounding)
    assert found % unit_of(name) == 0
    assert 0 <= found <= free


def test_all_of_what_is_no_whole_unit_is_not_rounded_up_beyond_it() -> None:
    free = parse("16290348Ki").nano
    assert shared("memory", free, 100, "ceil") == parse("15908Mi").nano
    assert shared("memory", free, 90, "ceil") == parse("14318Mi").nano
    assert shared("nvidia.com/gpu", NANO, 1, "ceil") == NANO


def test_of_one_node_a_pod_gets_what_is_free_there_and_granted() -> None:
    nano, names = NANO, ("cpu", "pods", "nvidia.com/gpu")
    free = {name: Free(100 * nano, 100 * nano, (60 * nano, 40 * nano)) for name in names}
    assert explained(offer(free, 2, 90, "floor", {"nvidia.com/gpu": 5})).largest == {
        "cpu": "60",
        "nvidia.com/gpu": "5",
    }
    alone = explained(offer({"cpu": Free(100 * nano, 50 * nano, (50 * nano,))}, 1, 90, "floor", {}))
    assert (alone.largest, alone.spread) == ({"cpu": "45"}, {"cpu": ("50",)})


@given(resources, amounts, amounts, st.integers(1, 100), st.sampled_from(ROUNDINGS))
def test_more_room_is_never_a_smaller_share(
    name: str, less: int, more: int, percentage: int, rounding: Rounding
) -> None:
    found = [shared(name, free, percentage, rounding) for free in (less, less + more)]
    assert found == sorted(found)


@given(resources, amounts, st.integers(1, 99))
def test_roundings_are_in_order(name: str, free: int, percentage: int) -> None:
    down, least, up = (
        shared(name, free, percentage, each) for each in ("floor", "at-least-one", "ceil")
    )
    assert down <= least <= max(up, least)
    assert up - down in {0, unit_of(name)}


@given(
    st.dictionaries(resources, st.tuples(amounts, amounts), min_size=1),
    st.integers(1, 100),
    st.sampled_from(ROUNDINGS),
)
def test_what_is_written_can_be_read(
    rooms: dict[str, tuple[int, int]], percentage: int, rounding: Rounding
) -> None:
    free = {name: Free(used + left, left, (left,)) for name, (used, left) in rooms.items()}
    told = explained(offer(free, 3, percentage, rounding, {}))
    assert read(written(told)) == told
