"""From the OpenAPI documents of a running API server to `kubernetes.json`.

    python -m liqo.api.crds.openapi <(kubectl get --raw /openapi/v3/api/v1) \\
        <(kubectl get --raw /openapi/v3/apis/apps/v1) \\
        <(kubectl get --raw /openapi/v3/apis/discovery.k8s.io/v1) \\
        > src/liqo/api/crds/kubernetes.json

Kept are the definitions that our models follow, and those that they refer to.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from liqo.api.crds.render import INT_OR_STRING, type_schema
from liqo.api.meta import JSON
from liqo.api.values import TemplateMeta, WireQuantity

FOLLOWED = (
    "io.k8s.api.apps.v1.DeploymentSpec",
    "io.k8s.api.core.v1.ContainerImage",
    "io.k8s.api.core.v1.NodeAffinity",
    "io.k8s.api.core.v1.NodeSelector",
    "io.k8s.api.core.v1.ResourceRequirements",
    "io.k8s.api.core.v1.ScopeSelector",
    "io.k8s.api.core.v1.ServiceSpec",
    "io.k8s.api.core.v1.Taint",
    "io.k8s.api.core.v1.Toleration",
    "io.k8s.api.discovery.v1.Endpoint",
    "io.k8s.api.discovery.v1.EndpointPort",
)
# Types that OpenAPI describes loosely, or that are less than themselves inside another object.
OURS: dict[str, JSON] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": type_schema(WireQuantity),
    "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": type_schema(TemplateMeta),
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
        **INT_OR_STRING,
        "x-kubernetes-int-or-string": True,
    },
}
# No `enum` among them: a newer Kubernetes may know more words than this one.
KEPT = {
    "format",
    "required",
    "type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
}


def main(paths: Iterable[str]) -> None:
    schemas: dict[str, JSON] = {}
    for path in paths:
        schemas |= msgspec.json.decode(Path(path).read_bytes())["components"]["schemas"]
    sys.stdout.write(one_per_line(followed(schemas)))


def one_per_line(definitions: dict[str, JSON]) -> str:
    """Short, and still a diff that can be read when Kubernetes changes a type."""
    lines = (
        f'"{name}":{msgspec.json.encode(definitions[name], order="sorted").decode()}'
        for name in sorted(definitions)
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def followed(schemas: dict[str, JSON]) -> dict[str, JSON]:
    definitions: dict[str, JSON] = {}
    waiting = list(FOLLOWED)
    while waiting:
        full_name = waiting.pop()
        if short(full_name) not in definitions:
            schema = OURS.get(full_name) or simplified(schemas[full_name])
            definitions[short(full_name)] = schema
            waiting.extend(references(schemas[full_name]) if full_name not in OURS else ())
    return definitions


def short(full_name: str) -> str:
    return full_name.rpartition(".")[2]


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].rpartition("/")[2]
        for value in schema.values():
            yield from references(value)
    elif isinstance(schema, list):
        for each in schema:
            yield from references(each)


def simplified(schema: JSON) -> JSON:
    if "allOf" in schema:  # how OpenAPI adds a description to a reference
        return simplified(schema["allOf"][0])
    if "$ref" in schema:
        return {"$ref": short(schema["$ref"])}
    inside = {keyword: value for keyword, value in schema.items() if keyword in KEPT}
    if "properties" in schema:
        inside["properties"] = properties(schema)
    for container in ("items", "additionalProperties"):
        if container in schema:
            inside[container] = simplified(schema[container])
    return inside


def properties(schema: JSON) -> JSON:
    """A default counts only where the field may be missing: elsewhere it is Go's empty value."""
    required = schema.get("required", ())
    simple = {name: simplified(field) for name, field in schema["properties"].items()}
    for name, field in schema["properties"].items():
        if name not in required and field.get("default", {}) != {}:
            simple[name]["default"] = field["default"]
    return simple


if __name__ == "__main__":
    main(sys.argv[1:])
