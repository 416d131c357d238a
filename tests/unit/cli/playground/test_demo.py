"""What `demo` says: before, when it cannot begin, and after."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from liqo.cli.lazy import LazyGroup
from liqo.cli.playground import command
from liqo.cli.playground.demo import check_new, demo, what_next
from liqo.cli.playground.story import PAGE, REST
from liqo.playground.errors import PlaygroundError
from liqo.playground.layout import Options
from tests.unit.playground.layouts import a_layout


def test_it_says_how_far_it_goes() -> None:
    said = CliRunner().invoke(demo, ["--help"]).output
    assert "docs/tutorial.md" in said
    assert "The clusters stay" in said


def test_it_begins_with_nothing() -> None:
    check_new("scratch", None)
    check_new("scratch", a_layout())
    with pytest.raises(PlaygroundError, match=r"\(rome, milan\).* playground down -p scratch$"):
        check_new("scratch", a_layout(rome=Options(), milan=Options()))


def test_what_to_type_next_can_be_typed() -> None:
    assert isinstance(command, LazyGroup)
    said = what_next("scratch")
    words = said.split("liqoctl playground ")[1:]
    assert {text.split()[0].strip(')"') for text in words} <= set(command.verbs)
    assert said.count("-p scratch") == len(words)
    assert "-p" not in what_next("default").split()


def test_who_goes_on_by_hand_is_sent_to_the_rest_of_the_page() -> None:
    [rest] = [line for line in what_next("default").splitlines() if PAGE.name in line]
    assert rest.endswith(f"under: {REST}")
