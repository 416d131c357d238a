"""Lines from chunks that end anywhere."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from liqo.kube.watch import Lines


def test_a_line_may_span_many_chunks() -> None:
    lines = Lines()
    assert [lines.feed(chunk) for chunk in (b"a", b"b", b"c\nd")] == [[], [], [b"abc"]]
    assert lines.feed(b"\n") == [b"d"]


def test_a_chunk_may_hold_many_lines() -> None:
    assert Lines().feed(b"a\nb\nc") == [b"a", b"b"]


def test_an_empty_line_is_no_line() -> None:
    assert Lines().feed(b"\n\na\n") == [b"a"]


@given(st.lists(st.binary(min_size=1).filter(lambda line: b"\n" not in line)), st.integers(1, 7))
def test_wherever_the_stream_is_cut_the_lines_are_the_same(wanted: list[bytes], size: int) -> None:
    stream = b"".join(line + b"\n" for line in wanted)
    lines = Lines()
    chunks = [stream[at : at + size] for at in range(0, len(stream), size)]
    assert [line for chunk in chunks for line in lines.feed(chunk)] == wanted
