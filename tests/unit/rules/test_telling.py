"""What a plugin tells, as amounts and as a sum that can be shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liqo.api.values import ResourceList
from liqo.rules.amounts import readable
from liqo.rules.explanation import read, written
from liqo.rules.quantity import parse
from liqo.rules.telling import Told, divided, explained, granted, trouble

SOURCE = "grpc://plugin.liqo:6001"
SAYS = f"what the resource plugin {SOURCE} says"
REFUSED = "it cannot be reached: Connection refused"


@pytest.mark.parametrize(
    ("told", "asked", "amounts"),
    [
        ({"memory": "4Gi", "pods": 2}, {}, {"memory": "4Gi", "pods": "2"}),
        ({"cpu": "2"}, {"cpu": "500m"}, {"cpu": "500m", "pods": "0"}),
        ({"cpu": "2"}, {"cpu": "8"}, {"cpu": "2", "pods": "0"}),
        ({"pods": "2"}, {"nvidia.com/gpu": 1}, {"nvidia.com/gpu": "0", "pods": "2"}),
        ({"pods": "2"}, {"pods": "many"}, {"pods": "0"}),
        ({"cpu": "2"}, {"pods": "9"}, {"cpu": "2", "pods": "0"}),
        (
            {"cpu": "2", "pods": "5"},
            {"cpu": "1500m", "pods": "1500m"},
            {"cpu": "1500m", "pods": "1"},
        ),
        ({}, {}, {"pods": "0"}),
        (None, {}, {}),
    ],
)
def test_a_consumer_gets_what_is_told_and_no_more_than_it_asked_for(
    told: ResourceList | None, asked: ResourceList, amounts: ResourceList
) -> None:
    assert granted(Told(told, SOURCE), asked) == amounts


def test_slices_get_what_older_ones_leave() -> None:
    told = Told({"cpu": "10", "memory": "4Gi", "pods": 2}, SOURCE)
    asked: ResourceList = {"cpu": "8", "memory": "0", "pods": "0", "nvidia.com/gpu": "1"}
    before = divided(told, {"a": asked, "b": {}})
    assert before["a"] == {}
    assert granted(told, {}, before["b"]) == {"cpu": "2", "memory": "4Gi", "pods": "2"}
    assert written(explained(told, {"cpu": "5"}, before["b"])) == (
        f"cpu 2 = min(5, what the resource plugin {SOURCE} says − 8 of slice a)\n"
        f"memory 4Gi = {SAYS}\npods 2 = {SAYS}"
    )


@pytest.mark.parametrize(
    ("slices", "why"),
    [
        (2, "− 2 of slices a, b"),
        (3, "− 3 of slices a, b, c"),
        (5, "− 5 of slices a, b, c and 2 more"),
    ],
)
def test_of_slices_that_have_the_rest_a_few_are_named(slices: int, why: str) -> None:
    told = Told({"pods": "9"}, SOURCE)
    asked: dict[str, ResourceList] = {name: {"pods": "1"} for name in "abcde"[:slices]}
    had = divided(told, {**asked, "last": {}})["last"]
    told_why = explained(told, {}, had)
    assert written(told_why).endswith(f" says {why}")
    assert read(written(told_why)) == told_why


AMOUNTS = st.sampled_from(["0", "1", "1500m", "0.3", "7", "many", "3Gi", "-4"])


@given(
    st.dictionaries(st.sampled_from(["cpu", "memory", "pods"]), AMOUNTS),
    st.lists(st.dictionaries(st.sampled_from(["cpu", "memory", "pods"]), AMOUNTS), max_size=6),
)
def test_all_slices_together_get_no_more_than_is_told(
    said: dict[str, str], asked: list[dict[str, str]]
) -> None:
    told = Told({**said}, SOURCE)
    slices: dict[str, ResourceList] = {
        str(number): {**bounds} for number, bounds in enumerate(asked)
    }
    total: dict[str, int] = {}
    for name, had in divided(told, slices).items():
        for resource, amount in granted(told, slices[name], had).items():
            assert readable(amount).nano >= 0
            total[resource] = total.get(resource, 0) + parse(amount).nano
    for resource, sum_ in total.items():
        assert 0 <= sum_ <= readable(said.get(resource, "0")).nano


def test_a_number_that_somebody_told_is_explained_with_who_it_was() -> None:
    why = explained(Told({"pods": "4", "cpu": 2}, SOURCE), {"cpu": 1})
    assert written(why) == (
        "cpu 1 = min(1, what the resource plugin grpc://plugin.liqo:6001 says)\n"
        "pods 4 = what the resource plugin grpc://plugin.liqo:6001 says"
    )
    assert read(written(why)) == why


def test_a_number_that_was_told_before_something_went_wrong_is_said_to_be_old() -> None:
    text = written(explained(Told({"pods": "2"}, SOURCE, REFUSED), {}))
    assert text == "pods 2 = what the resource plugin grpc://plugin.liqo:6001 said last"


@pytest.mark.parametrize(("asked", "sum_"), [({}, SAYS), ({"pods": "9"}, f"min(9, {SAYS})")])
def test_who_names_no_pods_grants_none_and_it_is_said(asked: ResourceList, sum_: str) -> None:
    why = explained(Told({}, SOURCE), asked)
    assert written(why) == f"pods 0 = {sum_}: it names no pods, so that none may come"
    assert read(written(why)) == why


def test_what_is_wrong_is_a_sentence_with_who_is_silent_and_what_that_means() -> None:
    silence = "the resource plugin grpc://plugin.liqo:6001 does not say what this consumer gets"
    assert trouble(Told(None, SOURCE), stands=False) == ""
    assert trouble(Told(None, SOURCE, REFUSED), stands=False) == f"{silence}: {REFUSED}"
    stale = trouble(Told({"cpu": "2"}, SOURCE, REFUSED), stands=True)
    assert stale == f"{silence}, and what was granted stays: {REFUSED}"
