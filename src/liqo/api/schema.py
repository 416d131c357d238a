"""The words in which a model tells what its CustomResourceDefinition says beyond types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from liqo.api.meta import Resource


@dataclass(frozen=True, eq=False)  # annotations are hashed, and keywords cannot be
class Wire:
    """Keywords of a JSON schema: `Annotated[str, wire(format="cidr")]`, or `WIRE` of a whole model.

    The API server checks them before an object is stored, so decoding does not check them again.
    """

    keywords: Mapping[str, Any]
    definition: str = ""  # of Kubernetes, in crds/kubernetes.json, that this JSON follows


def wire(**keywords: Any) -> Wire:
    return Wire(keywords)


def follows(definition: str) -> Wire:
    """The value is JSON of a type that Kubernetes owns: its schema is Kubernetes' own."""
    return Wire({}, definition)


def rules(*checks: tuple[str, str]) -> Wire:
    """CEL expressions that must be true, each with the sentence that a user reads if it is not."""
    return Wire(
        {"x-kubernetes-validations": [{"rule": rule, "message": why} for rule, why in checks]}
    )


def immutable(field_name: str) -> Wire:
    return rules(("self == oldSelf", f"{field_name} is immutable"))


ATOMIC = Wire({"x-kubernetes-map-type": "atomic"})  # written by one owner, as a whole
ATOMIC_LIST = Wire({"x-kubernetes-list-type": "atomic"})
OPEN = Wire({"x-kubernetes-preserve-unknown-fields": True})  # whatever is inside stays inside


@dataclass(frozen=True)
class Column:
    """One column of `kubectl get`."""

    name: str
    path: str
    type: Literal["string", "integer", "boolean", "date"] = "string"
    priority: int = 0  # above 0: only with `-o wide`


AGE = Column("Age", ".metadata.creationTimestamp", "date")


@dataclass(frozen=True)
class CRD:
    """How the API server presents a kind: everything but the schema, which is its model."""

    model: type[Resource]
    short_names: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    spec_required: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
