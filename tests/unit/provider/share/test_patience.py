"""How long a change has to last, row by row, and that it is waited for."""

import pytest

from liqo.api.meta import Key
from liqo.api.values import ResourceList
from liqo.provider.share.patience import LASTING, TOGETHER, Waits, due_after
from tests.unit.provider.things import HOME

KEY = Key(HOME, "milan")


@pytest.mark.parametrize(
    ("offered", "there", "seconds"),
    [
        ({"cpu": "90"}, {"cpu": "90"}, LASTING),
        ({"cpu": "0"}, {"cpu": "0"}, LASTING),
        ({"cpu": "100"}, {"cpu": "95001m"}, LASTING),
        ({"cpu": "100"}, {"cpu": "104999m"}, LASTING),
        ({"cpu": "100"}, {"cpu": "95"}, TOGETHER),
        ({"cpu": "100"}, {"cpu": "105"}, TOGETHER),
        ({"cpu": "100", "pods": 10}, {"cpu": "100", "pods": "11"}, TOGETHER),
        ({"cpu": "0"}, {"cpu": "1m"}, TOGETHER),
        ({"cpu": "1"}, {"cpu": "0"}, TOGETHER),
        ({"cpu": "1"}, {"cpu": "1", "nvidia.com/gpu": "0"}, TOGETHER),
        ({"cpu": "1", "nvidia.com/gpu": "0"}, {"cpu": "1"}, TOGETHER),
    ],
)
def test_how_long_a_change_has_to_last(
    offered: ResourceList, there: ResourceList, seconds: float
) -> None:
    assert due_after(offered, there) == seconds


def test_it_lasts_from_the_first_time_that_it_is_seen() -> None:
    now = 100.0
    waits = Waits(lambda: now)
    assert waits.left(KEY, 10) == 10
    now += 4
    assert waits.left(KEY, 10) == 6
    assert waits.left(KEY, 0.5) == 0
    waits.forget(KEY)
    assert waits.left(KEY, 10) == 10


def test_what_somebody_waits_for_has_lasted_long_enough() -> None:
    waits = Waits(lambda: 0.0)
    waits.hurry(KEY)
    assert waits.left(KEY, LASTING) == 0
