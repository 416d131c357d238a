"""The wire as seen: schemas and objects of the Go implementation, for tests to compare with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
import yaml

from liqo.api.meta import JSON, Resource
from liqo.api.schema import CRD

HERE = Path(__file__).parent
SAMPLES = {
    "date-time": "2026-11-15T10:17:16Z",
    "byte": "bGlxbw==",
    "cidr": "10.70.0.0/16",
    "ipv4": "10.70.0.1",
}


@cache
def crds() -> dict[str, JSON]:
    """Every CRD of the wire, by its name."""
    files = (HERE / "crds").glob("*.yaml")
    manifests = [yaml.load(file.read_text(), yaml.CSafeLoader) for file in files]
    return {manifest["metadata"]["name"]: manifest for manifest in manifests}


def is_known(model: type[Resource]) -> bool:
    """Some kinds are ours alone."""
    return f"{model.KIND.plural}.{model.KIND.group}" in crds()


def schema(model: type[Resource]) -> JSON:
    (version,) = crds()[f"{model.KIND.plural}.{model.KIND.group}"]["spec"]["versions"]
    found: JSON = version["schema"]["openAPIV3Schema"]
    return found


def captured(model: type[Resource]) -> list[JSON]:
    """Every object of a kind that was seen on the two clusters."""
    return [
        seen
        for file in sorted((HERE / "captured").glob("*.yaml"))
        for seen in yaml.load_all(file.read_text(), yaml.CSafeLoader)
        if (seen["apiVersion"], seen["kind"]) == (model.KIND.api_version, model.KIND.name)
    ]


def quantities() -> dict[str, str | None]:
    """Spellings of quantities, and how a real API server reads each back: None where it refuses."""
    return msgspec.json.decode((HERE / "quantities.json").read_bytes(), type=dict[str, str | None])


def objects(crds: tuple[CRD, ...]) -> dict[str, tuple[type[Resource], JSON]]:
    """All that is known of these kinds: objects with their models, under a name for each."""
    return {
        f"{crd.model.__name__}-{name}": (crd.model, seen)
        for crd in crds
        if is_known(crd.model)
        for name, seen in (
            ("fullest", fullest(crd.model)),
            ("barest", barest(crd.model)),
            *((f"captured-{number}", each) for number, each in enumerate(captured(crd.model))),
        )
    }


def fullest(model: type[Resource]) -> JSON:
    """An object of this kind with every field that the wire knows, none at its default."""
    parts = schema(model)["properties"]
    return {part: sample(said) for part, said in parts.items() if part in {"spec", "status"}}


def barest(model: type[Resource]) -> JSON:
    """An object of this kind with the fields that the wire requires, and no other."""
    return {"spec": sample(schema(model)["properties"]["spec"], only_required=True)}


def sample(said: JSON, only_required: bool = False) -> JSON:
    """A value that a schema of type object accepts."""
    required = said.get("required", ())
    return {
        name: value(field, only_required)
        for name, field in said.get("properties", {}).items()
        if name in required or not only_required
    }


def value(said: JSON, only_required: bool) -> object:
    match said.get("type"):
        case "object" if "additionalProperties" in said:
            return {"some": value(said["additionalProperties"], only_required)}
        case "object":
            return sample(said, only_required) if "properties" in said else {"any": "thing"}
        case "array":
            return [value(said["items"], only_required)]
        case "integer":
            return 7
        case "boolean":
            return not said.get("default", False)
        case _:
            usual = (SAMPLES.get(said.get("format", ""), "some"), "7", "7s")
            words = [word for word in said.get("enum", usual) if word != said.get("default")]
            return next(word for word in words if re.match(said.get("pattern", ""), word))


def survives(model: type[Resource], seen: JSON) -> bool:
    """Whether the API server would store the same thing after our model has read and written it."""
    read = msgspec.json.decode(msgspec.json.encode(seen), type=model)
    written = msgspec.json.decode(msgspec.json.encode(read))
    seen = {part: content for part, content in seen.items() if part not in {"apiVersion", "kind"}}
    return bool(defaulted(written, schema(model)) == defaulted(seen, schema(model)))


def defaulted(value: object, said: JSON) -> object:
    """As the API server does it: what is missing gets its default, at every level that is there."""
    if isinstance(value, list) and "items" in said:
        return [defaulted(each, said["items"]) for each in value]
    if not isinstance(value, dict):
        return value
    if "additionalProperties" in said:
        return {name: defaulted(each, said["additionalProperties"]) for name, each in value.items()}
    return dict(with_defaults(value, said.get("properties", {})))


def with_defaults(value: JSON, properties: JSON) -> Iterator[tuple[str, object]]:
    for name, content in value.items():
        yield name, defaulted(content, properties.get(name, {}))
    for name, said in properties.items():
        if "default" in said and name not in value:
            yield name, said["default"]
