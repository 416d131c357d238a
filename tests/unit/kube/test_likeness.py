"""What objects share."""

from __future__ import annotations

import sys

import msgspec

from liqo.kube.likeness import LONGEST, REMEMBERED, Latest, sharing


def raw(text: str) -> msgspec.Raw:
    return msgspec.Raw(text.encode())


def test_where_python_never_forgets_a_shared_word_what_is_without_end_is_not_shared() -> None:
    assert sharing((3, 12)) is str
    assert sharing((3, 11)) is sharing((3, 13)) is sys.intern


def test_equal_bytes_are_one() -> None:
    latest = Latest()
    first = latest.copy(raw("spec"))
    assert latest.copy(raw("spec")) is first
    assert bytes(first) == b"spec"
    assert latest.copy(raw("another")) is not first


def test_a_copy_does_not_keep_what_it_was_read_from() -> None:
    line = b'{"spec":{"nodeName":"milan"}}'
    before = sys.getrefcount(line)
    seen = msgspec.json.decode(line, type=dict[str, msgspec.Raw])["spec"]
    copy = Latest().copy(seen)
    del seen
    assert sys.getrefcount(line) == before
    assert bytes(copy) == b'{"nodeName":"milan"}'


def test_what_is_seen_again_is_remembered_longest() -> None:
    latest = Latest()
    kept = latest.copy(raw("kept"))
    for number in range(2 * REMEMBERED):
        latest.copy(raw(f"passes-{number}"))
        assert latest.copy(raw("kept")) is kept
    assert len(latest) == REMEMBERED


def test_what_is_large_is_not_remembered() -> None:
    latest, large = Latest(), "x" * (LONGEST + 1)
    assert bytes(latest.copy(raw(large))) == large.encode()
    assert not len(latest)
