"""A list is the same whole or in pieces, in every way that API servers write it."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liqo.api.kubernetes import Deployment, Pod
from liqo.api.meta import JSON, Key
from liqo.kube.listing import Listing, ListReader
from liqo.kube.reading import Codec


def read(text: bytes, size: int) -> Listing[Pod]:
    reader = ListReader(Codec(Pod))
    for at in range(0, len(text), size):
        reader.feed(text[at : at + size])
    return reader.finish()


def a_pod(name: str, **spec: object) -> JSON:
    return {"metadata": {"name": name, "namespace": "shop"}, "spec": spec}


def typed(*items: JSON) -> bytes:
    """As kinds of Kubernetes are written: what describes the list comes first."""
    head: JSON = {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "42"}}
    return msgspec.json.encode({**head, "items": list(items)}) + b"\n"


def custom(*items: JSON) -> bytes:
    """As custom resources are written: keys in order of the alphabet."""
    body = {"apiVersion": "v1", "items": list(items), "kind": "PodList"}
    return msgspec.json.encode({**body, "metadata": {"continue": "", "resourceVersion": "42"}})


TRICKY = [
    a_pod("plain"),
    a_pod("quotes", text='},{"metadata":{"name":"no'),
    a_pod("nested", templates=[{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}]),
    a_pod("brackets", text="]}],{[", deep=[[{}], [], {}]),
    a_pod("last", templates=[{"metadata": {}}, {"metadata": {}}]),
]


@given(st.sampled_from([typed, custom]), st.lists(st.sampled_from(TRICKY)), st.integers(1, 400))
def test_wherever_it_is_cut_the_list_is_the_same(
    write: object, items: list[JSON], size: int
) -> None:
    assert callable(write)
    listing = read(write(*items), size)
    assert listing.resource_version == "42"
    assert [item.key.name for item in listing.items] == [item["metadata"]["name"] for item in items]
    assert [item.spec for item in listing.items] == [item["spec"] for item in items]


@pytest.mark.timeout(20)  # trying every border anew would take minutes
def test_an_object_full_of_borders_costs_no_more_than_others() -> None:
    nasty = a_pod("nasty", templates=[{"metadata": {"n": '}{\\"'}}] * 40_000)
    listing = read(typed(a_pod("a"), nasty, a_pod("b"), nasty), 100_000)
    assert [item.key.name for item in listing.items] == ["a", "nasty", "b", "nasty"]


@pytest.mark.parametrize("items", ["null", "[]", "[ ]"])
def test_a_list_may_be_empty(items: str) -> None:
    listing = read(b'{"items":%s,"metadata":{"resourceVersion":"7"}}' % items.encode(), 5)
    assert listing == Listing([], "7")


def test_a_list_written_for_people_is_read_all_the_same() -> None:
    text = json.dumps(json.loads(typed(*TRICKY)), indent=2).encode()
    assert len(read(text, 100).items) == len(TRICKY)


def test_items_that_begin_differently_are_read_all_the_same() -> None:
    other = {"kind": "Pod", **a_pod("other")}
    names = [item.key.name for item in read(typed(a_pod("a"), other, a_pod("b")), 50).items]
    assert names == ["a", "other", "b"]


def test_an_unreadable_item_does_not_spoil_the_others() -> None:
    broken = {"metadata": {"name": "broken", "namespace": "shop", "labels": {"a": 1}}}
    listing = read(typed(a_pod("a"), broken, a_pod("b"), broken), 64)
    assert [item.key.name for item in listing.items] == ["a", "b"]
    assert [item.key for item in listing.unreadable] == [Key("shop", "broken")] * 2
    assert "labels" in listing.unreadable[0].reason


def test_half_a_list_is_an_error_and_not_a_short_list() -> None:
    text = typed(*TRICKY)
    with pytest.raises(msgspec.DecodeError):
        read(text[: len(text) // 2], 64)


def test_what_is_no_list_is_an_error() -> None:
    with pytest.raises(msgspec.DecodeError):
        ListReader(Codec(Deployment)).finish()
