"""What the bytes of objects and events become."""

from __future__ import annotations

import gc
import sys

import msgspec
import pytest

from liqo.api.kubernetes import Pod, Secret
from liqo.api.meta import JSON, Key
from liqo.api.offloading import ShadowPod
from liqo.kube.errors import Expired, ServerFault
from liqo.kube.reading import (
    Bookmark,
    Codec,
    Event,
    Metadata,
    Reading,
    Unreadable,
    metadata,
    reading,
)

POD: JSON = {
    "metadata": {
        "name": "web",
        "namespace": "shop",
        "resourceVersion": "5",
        "managedFields": [{"manager": "x" * 5000}],
    },
    "spec": {"nodeName": "milan", "aFieldOfTomorrow": [1, None]},
}


def change(kind: str, item: JSON) -> object:
    line = msgspec.json.encode({"type": kind, "object": item})
    return Codec(Pod).change(line, where="rome")


def test_an_object_keeps_fields_that_nobody_knows() -> None:
    pod = Codec(Pod).object(msgspec.json.encode(POD))
    assert pod.spec == POD["spec"]
    assert pod.status == {}


def test_an_object_does_not_keep_what_it_was_read_from() -> None:
    line = msgspec.json.encode(POD)
    before = sys.getrefcount(line)
    pod = Codec(Pod).object(line)
    assert sys.getrefcount(line) == before
    assert len(bytes(pod.raw_spec)) < 100


def test_nor_does_an_object_that_keeps_bytes_deeper_inside() -> None:
    shadow = {"metadata": POD["metadata"], "spec": {"pod": POD["spec"]}}
    line = msgspec.json.encode(shadow)
    before = sys.getrefcount(line)
    read = Codec(ShadowPod).object(line)
    assert sys.getrefcount(line) == before
    assert read.spec.pod == POD["spec"]
    assert not gc.is_tracked(read.spec)


def test_objects_share_the_words_that_they_have_in_common() -> None:
    """Thousands of pods have the same labels; what an annotation says is of one pod alone."""
    body = {"namespace": "shop", "labels": {"liqo.io/origin": "rome"}, "annotations": {"a/b": "c"}}
    line = msgspec.json.encode({"metadata": body})
    one, other = (Codec(Pod).object(line).metadata for _ in range(2))
    assert one == other
    assert one.namespace is other.namespace
    for mine, theirs in zip(one.labels.items(), other.labels.items(), strict=True):
        assert mine[0] is theirs[0]
        assert mine[1] is theirs[1]
    assert next(iter(one.annotations)) is next(iter(other.annotations))


def test_pods_share_a_spec_and_no_status() -> None:
    codec, line = Codec(Pod), msgspec.json.encode({**POD, "status": {"phase": "Running"}})
    one, other = (codec.object(line) for _ in range(2))
    assert one.raw_spec is other.raw_spec
    assert one.raw_status is not other.raw_status


def test_so_do_shadow_pods() -> None:
    codec, line = Codec(ShadowPod), msgspec.json.encode({"spec": {"pod": POD["spec"]}})
    one, other = (codec.object(line) for _ in range(2))
    assert one.spec.raw_pod is other.spec.raw_pod


def test_what_is_absent_stays_absent() -> None:
    read = Codec(ShadowPod).object(b'{"spec":{}}')
    assert msgspec.json.encode(read) == b'{"spec":{}}'


def test_the_collector_does_not_walk_through_objects() -> None:
    pod = Codec(Pod).object(msgspec.json.encode(POD))
    assert not gc.is_tracked(pod)
    assert not gc.is_tracked(pod.metadata)


def test_an_event_carries_its_object() -> None:
    event = change("MODIFIED", POD)
    assert isinstance(event, Event)
    assert (event.type, event.object.key) == ("MODIFIED", Key("shop", "web"))
    assert event.object.spec["nodeName"] == "milan"


def test_a_bookmark_says_where_to_resume() -> None:
    assert change("BOOKMARK", {"metadata": {"resourceVersion": "9"}}) == Bookmark("9")


def test_an_error_line_is_raised() -> None:
    with pytest.raises(Expired, match="rome: too old"):
        change("ERROR", {"kind": "Status", "code": 410, "message": "too old"})
    with pytest.raises(ServerFault):
        change("ERROR", {"kind": "Status", "message": "who knows"})


def test_an_unreadable_object_says_which_and_why() -> None:
    item = {"metadata": {"name": "web", "namespace": "shop", "resourceVersion": "6"}, "spec": 1}
    broken = {**item, "metadata": {**item["metadata"], "labels": {"a": 1}}}  # type: ignore[dict-item]  # the test breaks it
    found = change("ADDED", broken)
    assert isinstance(found, Unreadable)
    assert "labels" in found.reason


def test_an_unreadable_object_that_is_deleted_is_said_to_be() -> None:
    found = change("DELETED", {"metadata": {"name": 5}})
    assert isinstance(found, Unreadable)
    assert found.deleted


def test_an_event_that_nobody_knows_is_an_error() -> None:
    with pytest.raises(ServerFault, match="rome: a watch told of something MELTED"):
        change("MELTED", POD)


def test_of_an_object_without_metadata_only_the_reason_is_known() -> None:
    found = Codec(Pod).object_or_reason(b'{"metadata": 3}')
    assert isinstance(found, Unreadable)
    assert found.key == Key("", "?")


def test_a_line_that_is_not_json_is_not_an_event() -> None:
    with pytest.raises(msgspec.DecodeError):
        Codec(Pod).change(b'{"type":"ADDED","obj', where="rome")


def test_a_kind_can_be_read_whole_or_as_metadata() -> None:
    assert reading(Secret) == Reading(Secret.KIND, Secret)
    assert reading(metadata(Secret)) == Reading(Secret.KIND, Metadata)
    assert metadata(Secret).metadata_only
    assert not reading(Secret).metadata_only
