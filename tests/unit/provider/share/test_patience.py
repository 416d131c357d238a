"""How long a change has to last, row by row, and that it is waited for."""

from __future__ import annotations

from itertools import pairwise

import pytest

from liqo.api.meta import Key
from liqo.api.values import ResourceList
from liqo.provider.share.patience import CALM, LASTING, TOGETHER, Patience, Step, is_large, step
from liqo.rules.quantity import NANO
from tests.unit.provider.things import HOME

KEY = Key(HOME, "milan")
OFFERED: ResourceList = {"cpu": "100"}
LITTLE: ResourceList = {"cpu": "99"}
MUCH: ResourceList = {"cpu": "40"}


class Watch:
    """A stopwatch in the hands of a test."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def patience(watch: Watch) -> Patience:
    return Patience(watch)


@pytest.mark.parametrize(
    ("offered", "there", "large"),
    [
        ({"cpu": "90"}, {"cpu": "90"}, False),
        ({"cpu": "0"}, {"cpu": "0"}, False),
        ({"cpu": "100"}, {"cpu": "95001m"}, False),
        ({"cpu": "100"}, {"cpu": "104999m"}, False),
        ({"cpu": "100"}, {"cpu": "95"}, True),
        ({"cpu": "100"}, {"cpu": "105"}, True),
        ({"cpu": "100", "pods": 10}, {"cpu": "100", "pods": "11"}, True),
        ({"cpu": "0"}, {"cpu": "1m"}, True),
        ({"cpu": "1"}, {"cpu": "0"}, True),
        ({"cpu": "1"}, {"cpu": "1", "nvidia.com/gpu": "0"}, True),
        ({"cpu": "1", "nvidia.com/gpu": "0"}, {"cpu": "1"}, True),
    ],
)
def test_how_large_a_change_is(offered: ResourceList, there: ResourceList, large: bool) -> None:
    assert is_large(offered, there) is large


def test_a_small_change_lasts_from_the_first_time_that_it_is_seen(
    patience: Patience, watch: Watch
) -> None:
    assert patience.left(KEY, large=False) == LASTING
    watch.now += 4
    assert patience.left(KEY, large=False) == LASTING - 4
    patience.forget(KEY)
    assert patience.left(KEY, large=False) == LASTING


def test_a_large_change_lasts_from_when_it_became_large(patience: Patience, watch: Watch) -> None:
    patience.left(KEY, large=False)
    watch.now += 5
    assert patience.left(KEY, large=True) == TOGETHER
    watch.now += TOGETHER / 2
    assert patience.left(KEY, large=True) == TOGETHER / 2
    assert patience.left(KEY, large=False) == LASTING - 5 - TOGETHER / 2
    assert patience.left(KEY, large=True) == TOGETHER
    watch.now += TOGETHER
    assert patience.left(KEY, large=True) == 0


def test_what_is_the_same_sum_elsewhere_lasts_by_itself(patience: Patience, watch: Watch) -> None:
    patience.left(KEY, large=True)
    assert patience.elsewhere(KEY) == LASTING
    watch.now += 4
    assert patience.left(KEY, large=True) == TOGETHER
    assert patience.elsewhere(KEY) == LASTING - 4


def test_what_somebody_waits_for_is_not_waited_with(patience: Patience, watch: Watch) -> None:
    patience.stepped(KEY, OFFERED, MUCH)
    patience.hurry(KEY)
    assert patience.left(KEY, large=True) == 0
    patience.stepped(KEY, None, OFFERED)
    watch.now += 0.1
    assert patience.left(KEY, large=True) == TOGETHER


UP, DOWN = {"cpu": 10 * NANO}, {"cpu": -10 * NANO}


@pytest.mark.parametrize(
    ("last", "now", "after", "pause"),
    [
        (None, 0.0, "90", TOGETHER),
        (Step(0, UP), 1.0, "110", TOGETHER),
        (Step(0, UP), 1.0, "90", 2 * TOGETHER),
        (Step(0, DOWN, 4.0), 1.0, "90", 4.0),
        (Step(0, DOWN, 4.0), 1.0, "110", 8.0),
        (Step(0, DOWN, 8.0), CALM, "110", LASTING),
        (Step(0, DOWN, 8.0), CALM + 1, "110", TOGETHER),
        (Step(0, {"pods": -NANO}), 1.0, "110", TOGETHER),
    ],
)
def test_the_pause_grows_while_offers_go_back_and_forth(
    last: Step | None, now: float, after: str, pause: float
) -> None:
    made = step(last, now, {"cpu": "100"}, {"cpu": after})
    assert (made.at, made.pause) == (now, pause)


def test_a_resource_that_comes_goes_the_same_way_as_one_that_grows() -> None:
    first = step(None, 0, {"cpu": "1"}, {"cpu": "2", "nvidia.com/gpu": "1"})
    assert first.ways == {"cpu": NANO, "nvidia.com/gpu": NANO}
    second = step(first, 1, {"cpu": "2", "nvidia.com/gpu": "1"}, {"cpu": "2"})
    assert (second.ways, second.pause) == ({"cpu": NANO, "nvidia.com/gpu": -NANO}, 2 * TOGETHER)


def test_an_offer_of_the_same_amounts_is_no_step(patience: Patience, watch: Watch) -> None:
    patience.stepped(KEY, OFFERED, MUCH)
    watch.now += 1
    patience.stepped(KEY, MUCH, MUCH)
    watch.now += TOGETHER
    patience.stepped(KEY, MUCH, OFFERED)
    assert patience.left(KEY, large=True) == 2 * TOGETHER


def test_a_node_does_not_flutter_with_what_comes_and_goes(patience: Patience, watch: Watch) -> None:
    offered, times = OFFERED, []
    for look in range(240):  # two minutes, twice a second
        there: ResourceList = OFFERED if look % 4 < 2 else {"cpu": "90"}
        if offered != there and patience.left(KEY, large=is_large(offered, there)) == 0:
            patience.stepped(KEY, offered, there)
            offered = there
            times.append(watch.now)
        elif offered == there:
            patience.elsewhere(KEY)
        watch.now += 0.5
    pauses = [later - sooner for sooner, later in pairwise(times)]
    assert pauses == sorted(pauses)
    assert pauses[0] <= 1.5
    assert pauses[-1] >= LASTING
    assert len(times) < 20
