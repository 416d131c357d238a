"""How long a packet is held back."""

import click
import pytest

from liqo.cli.playground.faults import delay


def test_a_delay_is_a_duration() -> None:
    said = delay.make_context("delay", ["rome", "milan", "50ms"]).params
    assert said["duration"] == pytest.approx(0.05)


def test_a_delay_is_refused_before_anything_is_slowed_down() -> None:
    with pytest.raises(click.BadParameter, match="'soon' is not a duration"):
        delay.make_context("delay", ["rome", "milan", "soon"])
