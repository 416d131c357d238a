"""What a plugin tells, as amounts and as a sum that can be shown."""

from __future__ import annotations

import pytest

from liqo.api.values import ResourceList
from liqo.rules.explanation import read, written
from liqo.rules.telling import Told, explained, granted, nothing, trouble

SOURCE = "grpc://plugin.liqo:6001"
REFUSED = "it cannot be reached: Connection refused"


@pytest.mark.parametrize(
    ("told", "asked", "amounts"),
    [
        ({"memory": "4Gi", "cpu": 2}, {}, {"cpu": "2", "memory": "4Gi"}),
        ({"cpu": "2"}, {"cpu": "500m"}, {"cpu": "500m"}),
        ({"cpu": "2"}, {"cpu": "8"}, {"cpu": "2"}),
        ({"cpu": "2"}, {"nvidia.com/gpu": 1}, {"cpu": "2", "nvidia.com/gpu": "0"}),
        ({"cpu": "2"}, {"cpu": "many"}, {"cpu": "0"}),
        (
            {"cpu": "2", "pods": "5"},
            {"cpu": "1500m", "pods": "1500m"},
            {"cpu": "1500m", "pods": "1"},
        ),
        ({}, {}, {}),
        (None, {}, {}),
    ],
)
def test_a_consumer_gets_what_is_told_and_no_more_than_it_asked_for(
    told: ResourceList | None, asked: ResourceList, amounts: ResourceList
) -> None:
    assert granted(Told(told, SOURCE), asked) == amounts


def test_a_number_that_somebody_told_is_explained_with_who_it_was() -> None:
    why = explained(Told({"memory": "4Gi", "cpu": 2}, SOURCE), {"cpu": 1})
    assert written(why) == (
        "cpu 1 = min(1, what the resource plugin grpc://plugin.liqo:6001 says)\n"
        "memory 4Gi = what the resource plugin grpc://plugin.liqo:6001 says"
    )
    assert read(written(why)) == why


def test_a_number_that_was_told_before_something_went_wrong_is_said_to_be_old() -> None:
    text = written(explained(Told({"cpu": "2"}, SOURCE, REFUSED), {}))
    assert text == "cpu 2 = what the resource plugin grpc://plugin.liqo:6001 said last"


def test_that_nothing_is_granted_is_said_too_and_is_no_sum() -> None:
    told = Told({}, SOURCE)
    assert written(explained(told, {})) == ""
    assert nothing(told) == "nothing: the resource plugin grpc://plugin.liqo:6001 names no resource"
    assert read(nothing(told)) is None


def test_what_is_wrong_is_a_sentence_with_who_is_silent_and_what_that_means() -> None:
    silence = "the resource plugin grpc://plugin.liqo:6001 does not say what this consumer gets"
    assert trouble(Told(None, SOURCE), stands=False) == ""
    assert trouble(Told(None, SOURCE, REFUSED), stands=False) == f"{silence}: {REFUSED}"
    stale = trouble(Told({"cpu": "2"}, SOURCE, REFUSED), stands=True)
    assert stale == f"{silence}, and what was granted stays: {REFUSED}"
