"""What each thing that a model can say becomes in a CRD."""

from typing import Annotated, Any, ClassVar, Literal

import pytest

from liqo.api.crds.render import column, manifest, model_schema, type_schema
from liqo.api.meta import JSON, Kind, Model, Resource
from liqo.api.schema import AGE, ATOMIC, CRD, OPEN, Column, follows, immutable, wire
from liqo.api.values import Time, WireQuantity


class Inner(Model, frozen=True):
    WIRE: ClassVar = ATOMIC

    name: str


class ThingSpec(Model, frozen=True):
    needed: Inner
    size: int = 3
    note: str = ""
    inner: Inner | None = None


class Thing(Resource, frozen=True):
    KIND: ClassVar = Kind("test.liqo.io", "v1", "Thing", "things", namespaced=False)

    spec: ThingSpec


class Watched(Thing, frozen=True):
    KIND: ClassVar = Kind("test.liqo.io", "v1", "Watched", "watched")

    status: Inner | None = None


INNER = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
    "x-kubernetes-map-type": "atomic",
}


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, {"type": "string"}),
        (bool, {"type": "boolean"}),
        (int | None, {"type": "integer"}),
        (bytes, {"type": "string", "format": "byte"}),
        (Time, {"type": "string", "format": "date-time"}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (dict[str, bool], {"type": "object", "additionalProperties": {"type": "boolean"}}),
        (dict[str, Any], {"type": "object"}),
        (tuple[Inner, ...], {"type": "array", "items": INNER}),
        (Annotated[str, wire(minLength=1)], {"type": "string", "minLength": 1}),
        (
            Annotated[JSON, OPEN],
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        ),
        (
            Annotated[Time, immutable("Birth")],
            {
                "type": "string",
                "format": "date-time",
                "x-kubernetes-validations": [
                    {"rule": "self == oldSelf", "message": "Birth is immutable"}
                ],
            },
        ),
    ],
)
def test_a_type_has_its_schema(annotation: object, schema: JSON) -> None:
    assert type_schema(annotation) == schema


def test_a_quantity_is_a_number_or_a_word() -> None:
    schema = type_schema(WireQuantity)
    assert schema["anyOf"] == [{"type": "integer"}, {"type": "string"}]
    assert schema["x-kubernetes-int-or-string"]


def test_json_that_follows_kubernetes_has_its_schema() -> None:
    followed = type_schema(Annotated[JSON, follows("Toleration")])
    assert "tolerationSeconds" in followed["properties"]


def test_a_field_without_a_default_is_required_and_a_default_is_told() -> None:
    assert model_schema(ThingSpec) == {
        "type": "object",
        "properties": {
            "needed": INNER,
            "size": {"type": "integer", "default": 3},
            "note": {"type": "string"},
            "inner": INNER,
        },
        "required": ["needed"],
    }


def test_a_definition_names_its_kind() -> None:
    shown = manifest(CRD(Thing, short_names=("th",), labels={"a": "b"}))
    assert shown["metadata"] == {"name": "things.test.liqo.io", "labels": {"a": "b"}}
    assert shown["spec"]["scope"] == "Cluster"
    assert shown["spec"]["names"] == {
        "categories": ["liqo"],
        "kind": "Thing",
        "listKind": "ThingList",
        "plural": "things",
        "singular": "thing",
        "shortNames": ["th"],
    }


def test_a_spec_is_required_only_where_the_definition_says_so() -> None:
    def required(crd: CRD) -> object:
        return manifest(crd)["spec"]["versions"][0]["schema"]["openAPIV3Schema"].get("required")

    assert required(CRD(Thing, spec_required=True)) == ["spec"]
    assert required(CRD(Thing)) is None


def test_a_status_is_a_door_of_its_own() -> None:
    def subresources(crd: CRD) -> object:
        return manifest(crd)["spec"]["versions"][0].get("subresources")

    assert subresources(CRD(Watched)) == {"status": {}}
    assert subresources(CRD(Thing)) is None


def test_a_wide_column_has_a_priority_and_others_have_none() -> None:
    assert column(AGE) == {
        "name": "Age",
        "jsonPath": ".metadata.creationTimestamp",
        "type": "date",
    }
    assert column(Column("Role", ".status.role", priority=1))["priority"] == 1
