"""The words of a refusal, and whether they are those of the last one."""

from __future__ import annotations

import re
from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from liqo.kube.errors import Forbidden, Status, from_status
from liqo.provider.reason import LONGEST, NUMBERED, are_as_before, words


def test_the_words_are_those_of_the_api_server_as_far_as_people_read() -> None:
    said = from_status(Status(message="no " * 1000), 403, where="milan")
    assert words(said) == ("no " * 1000)[:LONGEST]
    assert words(Forbidden("milan: no")) == "milan: no"


def test_words_are_as_before_whatever_numbers_are_in_them() -> None:
    before = "read tcp 10.0.0.1:53422->10.96.0.5:443: connection reset by peer"
    assert are_as_before(before.replace("53422", "53987"), before)
    assert not are_as_before(before.replace("reset", "refused"), before)


@given(st.text("ab_19é٣ .:-"))
def test_what_has_a_number_in_it_is_left_out_as_a_whole(told: str) -> None:
    assert NUMBERED.sub("", told) == re.sub(r"\w*\d\w*", "", told)


def test_words_that_a_consumer_wrote_without_end_keep_nobody_waiting() -> None:
    """It may say what it likes in the status of its map, and this is one program for all."""
    endless = "a" * 200_000
    began = process_time()
    assert are_as_before(endless[:LONGEST], endless)
    assert NUMBERED.sub("", endless) == endless
    assert process_time() - began < 5  # seconds; were it the square of their length, a minute
