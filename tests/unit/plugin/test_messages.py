"""Bytes of three generations: what Google's own library writes is read, and the other way round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from hypothesis import example, given
from hypothesis import strategies as st

from liqo.plugin.messages import consumer_of, identity, pools_of

# The facts of the wire: message: (field, number, type of its values). A type "map of X" is a map
# from texts to X.
FACTS: Mapping[str, list[tuple[str, int, str]]] = {
    "ClusterIdentity": [("clusterID", 1, "text")],
    "Quantity": [("string", 1, "text")],
    "ReadResponse": [("resources", 1, "map of text")],
    "ResourceList": [
        ("resources", 1, "map of Quantity"),
        ("pool_name", 2, "text"),
        ("pool_prefix", 3, "text"),
    ],
    "PoolResourceList": [("resource_lists", 1, "repeated ResourceList")],
}


def generated() -> dict[str, Any]:
    """The classes that protoc would write for these facts."""
    file = descriptor_pb2.FileDescriptorProto(name="resource-reader.proto", syntax="proto3")
    for name, fields in FACTS.items():
        message = file.message_type.add(name=name)
        for field, number, kind in fields:
            add_field(message, field, number, kind)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(name)) for name in FACTS
    }


def add_field(message: Any, name: str, number: int, kind: str) -> None:
    types = descriptor_pb2.FieldDescriptorProto
    field = message.field.add(name=name, number=number, label=types.LABEL_OPTIONAL)
    how, _, of = kind.rpartition(" ")
    if how:
        field.label = types.LABEL_REPEATED
    if how == "map of":
        entry = message.nested_type.add(name="".join((name.title(), "Entry")))
        entry.options.map_entry = True
        add_field(entry, "key", 1, "text")
        add_field(entry, "value", 2, of)
        of = f"{message.name}.{entry.name}"
    field.type = types.TYPE_STRING if of == "text" else types.TYPE_MESSAGE
    if of != "text":
        field.type_name = f".{of}"


CLASSES = generated()
NAMES = st.text(min_size=1).filter(lambda name: not name.startswith("\n"))
AMOUNTS = NAMES  # whatever a plugin may claim to be one
POOLS = st.dictionaries(NAMES, AMOUNTS)


def resource_list(resources: Mapping[str, str], **more: str) -> Any:
    message = CLASSES["ResourceList"](**more)
    for name, amount in resources.items():
        message.resources[name].string = amount
    return message


@given(POOLS)
def test_an_answer_of_the_first_generation_is_read(resources: dict[str, str]) -> None:
    answer = CLASSES["ReadResponse"](resources=resources).SerializeToString()
    assert merged(pools_of(answer)) == resources


@given(POOLS)
def test_an_answer_of_the_second_generation_is_read(resources: dict[str, str]) -> None:
    assert merged(pools_of(resource_list(resources).SerializeToString())) == resources


@given(st.lists(st.tuples(POOLS, st.text(), st.text())))
def test_an_answer_of_the_third_generation_is_read_pool_by_pool(
    pools: list[tuple[dict[str, str], str, str]],
) -> None:
    answer = CLASSES["PoolResourceList"]()
    for resources, name, prefix in pools:
        answer.resource_lists.append(resource_list(resources, pool_name=name, pool_prefix=prefix))
    assert pools_of(answer.SerializeToString()) == tuple(resources for resources, _, _ in pools)


@given(st.text())
@example("x" * 300)
def test_who_is_asked_about_is_written_and_read_as_by_others(consumer: str) -> None:
    message = CLASSES["ClusterIdentity"](clusterID=consumer)
    assert CLASSES["ClusterIdentity"].FromString(identity(consumer)) == message
    assert consumer_of(message.SerializeToString()) == consumer


@given(st.binary())
def test_bytes_without_sense_are_read_or_refused_and_nothing_else(garbage: bytes) -> None:
    try:
        pools_of(garbage)
    except ValueError:
        return


def test_fields_of_a_later_generation_are_passed_over() -> None:
    number, wide, narrow = b"\x20\x96\x01", b"\x29" + b"x" * 8, b"\x35" + b"x" * 4
    entry = b"\x0a\x03cpu" + number + b"\x12\x012"
    answer = number + b"\x0a" + bytes([len(entry)]) + entry + wide + narrow
    assert pools_of(answer) == ({"cpu": "2"},)


def test_a_resource_without_a_name_is_not_taken_for_a_pool() -> None:
    answer = CLASSES["ReadResponse"](resources={"": "2"}).SerializeToString()
    assert pools_of(answer) == ({"": "2"},)


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x0a",
        b"\x0a\x05cpu",
        b"\x80",
        b"\xff" * 20,
        b"\x29123",
        b"\x0b",
        b"\x0a\x07\x0a\x01\xff\x12\x012",
    ],
)
def test_what_ends_early_or_is_no_message_is_a_value_error(garbage: bytes) -> None:
    with pytest.raises(ValueError, match=r"message|utf-8"):
        pools_of(garbage)


def merged(pools: tuple[dict[str, str], ...]) -> dict[str, str]:
    return {name: amount for pool in pools for name, amount in pool.items()}
