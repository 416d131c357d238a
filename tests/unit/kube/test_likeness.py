"""What objects share."""

from __future__ import annotations

import sys

import msgspec

from liqo.api.meta import Meta, OwnerReference
from liqo.kube.likeness import LONGEST, REMEMBERED, Latest, Likeness, sharing


def raw(text: str) -> msgspec.Raw:
    return msgspec.Raw(text.encode())


def test_where_python_never_forgets_a_shared_word_what_is_without_end_is_not_shared() -> None:
    assert sharing((3, 12)) is str
    assert sharing((3, 11)) is sharing((3, 13)) is sys.intern


def test_what_stays_undecoded_and_is_equal_is_one() -> None:
    likeness = Likeness()
    first = likeness.raw(raw("spec"))
    assert likeness.raw(raw("spec")) is first
    assert bytes(first) == b"spec"
    assert likeness.raw(raw("another")) is not first


def test_a_copy_does_not_keep_what_it_was_read_from() -> None:
    line = b'{"spec":{"nodeName":"milan"}}'
    before = sys.getrefcount(line)
    seen = msgspec.json.decode(line, type=dict[str, msgspec.Raw])["spec"]
    copy = Likeness().raw(seen)
    del seen
    assert sys.getrefcount(line) == before
    assert bytes(copy) == b'{"nodeName":"milan"}'


def test_what_is_seen_again_is_remembered_longest() -> None:
    latest, kept = Latest[object](), object()
    for number in range(2 * REMEMBERED):
        latest.like(f"passes-{number}", object())
        assert latest.like("kept", kept if not number else object()) is kept
    assert len(latest) == REMEMBERED


def test_what_is_large_is_not_remembered() -> None:
    likeness, large = Likeness(), raw("x" * (LONGEST + 1))
    first = likeness.raw(large)
    assert bytes(first) == bytes(large)
    assert likeness.raw(large) is not first


def test_equal_labels_are_one_and_others_are_themselves() -> None:
    likeness = Likeness()
    one, other, none = (
        Meta(name=name, labels=labels)
        for name, labels in (("one", {"app": "web"}), ("other", {"app": "web"}), ("none", {}))
    )
    for meta in (one, other, none):
        likeness.share(meta)
    assert one.labels is other.labels
    assert (one.labels, none.labels) == ({"app": "web"}, {})


def test_words_are_shared_across_kinds() -> None:
    def spelled(*letters: str) -> str:
        return "".join(letters)  # no constant, which Python itself would share

    pod = Meta(name=spelled("web", "-0"), namespace=spelled("sh", "op"))
    owner = OwnerReference(
        api_version=spelled("v", "1"), kind=spelled("Po", "d"), name=spelled("web", "-0"), uid="1"
    )
    twin = Meta(name=spelled("web", "-0"), owner_references=(owner,))
    for meta in (pod, twin):
        Likeness().share(meta)
    if sharing(sys.version_info[:2]) is sys.intern:
        assert pod.name is twin.name is owner.name
    assert (twin.name, owner.name, owner.kind, owner.api_version) == ("web-0", "web-0", "Pod", "v1")
