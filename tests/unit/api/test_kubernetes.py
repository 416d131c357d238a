"""Kinds of Kubernetes: what is not typed is kept."""

from __future__ import annotations

import msgspec

from liqo.api.kubernetes import ConfigMap, EndpointSlice, Lease, Pod, Secret


def test_a_field_is_decoded_when_it_is_asked_for() -> None:
    pod = msgspec.json.decode(b'{"spec":{"nodeName":"milan","new":{"x":[1]}}}', type=Pod)
    assert pod.spec["nodeName"] == "milan"
    assert pod.spec == {"nodeName": "milan", "new": {"x": [1]}}


def test_what_was_decoded_belongs_to_the_reader() -> None:
    pod = msgspec.json.decode(b'{"spec":{"nodeName":"milan"}}', type=Pod)
    pod.spec["nodeName"] = "rome"
    assert pod.spec["nodeName"] == "milan"


def test_what_is_not_there_reads_as_empty() -> None:
    assert Pod().status == {}
    assert ConfigMap().data == {}
    assert EndpointSlice().endpoints == []
    assert msgspec.json.decode(b'{"endpoints":null}', type=EndpointSlice).endpoints == []


def test_short_fields_beside_the_spec_are_typed() -> None:
    assert msgspec.json.decode(b'{"type":"Opaque"}', type=Secret).type == "Opaque"
    slice_ = msgspec.json.decode(b'{"addressType":"IPv4"}', type=EndpointSlice)
    assert slice_.address_type == "IPv4"


def test_an_object_is_written_as_it_was_read() -> None:
    text = b'{"metadata":{"name":"a"},"spec":{"holderIdentity":"x","odd":1}}'
    again = msgspec.json.encode(msgspec.json.decode(text, type=Lease))
    assert msgspec.json.decode(again) == msgspec.json.decode(text)
