"""Explanations: written for people, and read back by programs."""

import pytest

from liqo.rules.explanation import Explanation, Line, read, rounded_away, written

TOLD = """\
cpu 45 = floor(0.9 × (100 − 50))
nvidia.com/gpu 0 = floor(0.9 × 1): use at-least-one
largest pod on one of 4 nodes: cpu 25, nvidia.com/gpu 0
free by node: cpu 25 10 10 5, nvidia.com/gpu 1"""


def test_it_is_read_as_it_is_written() -> None:
    told = read(TOLD)
    assert told == Explanation(
        lines=(
            Line("cpu", "45", "floor(0.9 × (100 − 50))"),
            Line("nvidia.com/gpu", "0", "floor(0.9 × 1)", "use at-least-one"),
        ),
        nodes=4,
        largest={"cpu": "25", "nvidia.com/gpu": "0"},
        spread={"cpu": ("25", "10", "10", "5"), "nvidia.com/gpu": ("1",)},
    )
    assert written(told) == TOLD


@pytest.mark.parametrize(
    "other",
    [
        "ResourceSlice resources accepted",
        "",
        "free by node: cpu",
        f"largest pod on one of {'9' * 5000} nodes: cpu 1",
    ],
)
def test_other_words_explain_nothing(other: str) -> None:
    told = read(other)
    assert told is None or not told.lines


def test_of_what_there_is_none_it_tells_why() -> None:
    [(name, line)] = rounded_away(TOLD).items()
    assert (name, str(line)) == ("nvidia.com/gpu", TOLD.split("\n")[1])
    assert rounded_away("cpu 0 = floor(0.9 × 0): no node is ready and takes pods") == {}
    assert rounded_away("ResourceSlice resources accepted") == {}
