"""Schemas of types that are not ours: Kubernetes' own, and one of the Prometheus operator.

`kubernetes.json` is generated from an API server (see openapi.py), one definition per line.
`servicemonitor.json` is the ServiceMonitorSpec of the wire: no plain API server knows that type.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from liqo.api.meta import JSON

OPENED = "PodSpec"  # a pod of a newer Kubernetes keeps the fields that this schema does not know


@cache
def definitions() -> dict[str, JSON]:
    here = Path(__file__).parent
    files = (here / "kubernetes.json", here / "servicemonitor.json")
    return {
        name: schema
        for file in files
        for name, schema in msgspec.json.decode(file.read_bytes(), type=dict[str, JSON]).items()
    }


def expand(name: str, opened: bool = False) -> JSON:
    """The definition with all that it refers to in its place: a CRD has no references."""
    schema: JSON = inlined(definitions()[name], opened or name == OPENED)
    return schema


def inlined(schema: Any, opened: bool) -> Any:
    if isinstance(schema, list):
        return [inlined(each, opened) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return expand(schema["$ref"], opened)
    inside = {keyword: inlined(value, opened) for keyword, value in schema.items()}
    if opened and schema.get("type") == "object" and "properties" in schema:
        inside["x-kubernetes-preserve-unknown-fields"] = True
    return inside
