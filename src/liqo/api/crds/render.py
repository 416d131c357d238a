"""From a model to the CustomResourceDefinition that the API server is given."""

from __future__ import annotations

from dataclasses import asdict
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from liqo.api.crds.definitions import expand
from liqo.api.meta import JSON, Model
from liqo.api.schema import CRD, Column, Wire

SCALARS: dict[Any, JSON] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    bytes: {"type": "string", "format": "byte"},
    msgspec.Raw: {"type": "object"},
}
INT_OR_STRING = {"anyOf": [{"type": "integer"}, {"type": "string"}]}
HEADER = {"apiVersion": SCALARS[str], "kind": SCALARS[str], "metadata": {"type": "object"}}


def manifest(crd: CRD) -> JSON:
    kind = crd.model.KIND
    metadata: JSON = {"name": f"{kind.plural}.{kind.group}"}
    if crd.labels:
        metadata["labels"] = dict(crd.labels)
    names: JSON = {
        "categories": ["liqo"],
        "kind": kind.name,
        "listKind": f"{kind.name}List",
        "plural": kind.plural,
        "singular": kind.name.lower(),
    }
    if crd.short_names:
        names["shortNames"] = list(crd.short_names)
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": {
            "group": kind.group,
            "names": names,
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "versions": [version(crd)],
        },
    }


def version(crd: CRD) -> JSON:
    schema = root_schema(crd)
    served: JSON = {
        "name": crd.model.KIND.version,
        "schema": {"openAPIV3Schema": schema},
        "served": True,
        "storage": True,
    }
    if crd.columns:
        served["additionalPrinterColumns"] = [column(each) for each in crd.columns]
    if "status" in schema["properties"]:
        served["subresources"] = {"status": {}}
    return served


def column(shown: Column) -> JSON:
    keywords = asdict(shown)
    keywords["jsonPath"] = keywords.pop("path")
    if not shown.priority:
        del keywords["priority"]
    return keywords


def root_schema(crd: CRD) -> JSON:
    schema = model_schema(crd.model)
    # A model whose spec is incomplete when empty has no default for it; the wire may still
    # accept an object without one.
    if not crd.spec_required:
        schema.pop("required", None)
    return {**schema, "properties": schema["properties"] | HEADER}


def model_schema(model: type[Model]) -> JSON:
    fields = msgspec.structs.fields(model)
    schema: JSON = {
        "type": "object",
        "properties": {field.encode_name: field_schema(field) for field in fields},
    }
    required = sorted(field.encode_name for field in fields if field.required)
    if required:
        schema["required"] = required
    return marked(schema, getattr(model, "WIRE", None))


def field_schema(field: msgspec.structs.FieldInfo) -> JSON:
    schema = type_schema(field.type)
    if isinstance(field.default, (str, int)) and field.default:
        return {"default": field.default, **schema}
    return schema


def type_schema(annotation: Any) -> JSON:
    """The schema of whatever stands behind the colon of a field."""
    if annotation in SCALARS:
        return SCALARS[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return model_schema(annotation)
    return SCHEMA_OF_ORIGIN[get_origin(annotation)](annotation)


def annotated_schema(annotation: Any) -> JSON:
    schema = type_schema(annotation.__origin__)
    for mark in annotation.__metadata__:
        schema = marked(schema, mark)
    return schema


def marked(schema: JSON, mark: Wire | None) -> JSON:
    if mark is None:
        return schema
    return {**(expand(mark.definition) if mark.definition else schema), **mark.keywords}


def union_schema(annotation: Any) -> JSON:
    present = [each for each in get_args(annotation) if each is not NoneType]
    return type_schema(present[0]) if len(present) == 1 else INT_OR_STRING


def dict_schema(annotation: Any) -> JSON:
    _, value = get_args(annotation)
    open_or_typed = {} if value is Any else {"additionalProperties": type_schema(value)}
    return {"type": "object", **open_or_typed}


def tuple_schema(annotation: Any) -> JSON:
    return {"type": "array", "items": type_schema(get_args(annotation)[0])}


def literal_schema(annotation: Any) -> JSON:
    return {"type": "string", "enum": list(get_args(annotation))}


SCHEMA_OF_ORIGIN = {
    Annotated: annotated_schema,
    Literal: literal_schema,
    Union: union_schema,
    UnionType: union_schema,
    dict: dict_schema,
    tuple: tuple_schema,
}
