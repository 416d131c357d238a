"""How long a packet is held back."""

import click
import pytest

from liqo.cli.playground.faults import delay, seconds


def parsed(text: str) -> float:
    return seconds(click.Context(delay), delay.params[2], text)


@pytest.mark.parametrize(
    ("text", "expected"), [("50ms", 0.05), ("1s", 1.0), ("1.5s", 1.5), ("0.5ms", 0.0005)]
)
def test_a_duration_has_a_unit(text: str, expected: float) -> None:
    assert parsed(text) == pytest.approx(expected)


@pytest.mark.parametrize("text", ["", "50", "ms", "-1s", "1m", "1 s", "1s1s", "NaNs"])
def test_anything_else_is_no_duration(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a duration such as 50ms or 1s"):
        parsed(text)


def test_a_delay_is_refused_before_anything_is_slowed_down() -> None:
    with pytest.raises(click.BadParameter, match='"soon" is not a duration'):
        delay.make_context("delay", ["rome", "milan", "soon"])
