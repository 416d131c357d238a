"""Flags as Go programs take them."""

import argparse

import pytest

from liqo.programs.flags import Flag, add, duration, pairs, switch

FLAGS: tuple[Flag, ...] = (
    ("--on", switch, False),
    ("--for", duration, 1.0),
    ("--with", pairs, {}),
)


def read(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(exit_on_error=False)
    flags: tuple[Flag, ...] = (
        ("--on", switch, False),
        ("--for", duration, 1.0),
        ("--with", pairs, {}),
    )
    add(parser, flags)
    return parser.parse_args(words)


def test_a_bare_switch_is_on_and_a_value_is_what_it_says() -> None:
    assert [read("--on").on, read("--on=False").on, read().on] == [True, False, False]


@pytest.mark.parametrize(
    ("words", "expected"),
    [("1 t T true True TRUE", True), ("0 f F false False FALSE", False)],
)
def test_a_switch_may_be_spelled_as_go_reads_it(words: str, expected: bool) -> None:
    assert {read(f"--on={word}").on for word in words.split()} == {expected}


@pytest.mark.parametrize(
    ("text", "seconds"), [("0", 0), ("10s", 10), ("1m30s", 90), ("2h", 7200), ("500ms", 0.5)]
)
def test_a_duration_is_read_as_go_writes_it(text: str, seconds: float) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["10", "s", "1d", "10s!"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=text):
        duration(text)


def test_pairs_are_split_at_the_first_equals_sign() -> None:
    assert pairs("a=1,b=x=y,") == {"a": "1", "b": "x=y"}


def test_a_word_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="maybe"):
        switch("maybe")
