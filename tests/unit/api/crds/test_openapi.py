"""From OpenAPI to the definitions that CRDs can hold."""

from pathlib import Path

import msgspec
import pytest

from liqo.api.crds.openapi import FOLLOWED, followed, main, one_per_line, simplified
from liqo.api.meta import JSON

PREFIX = "#/components/schemas/io.k8s.api.core.v1."
EMPTY: dict[str, JSON] = {name: {"type": "object"} for name in FOLLOWED}


def test_a_described_reference_is_a_reference() -> None:
    described = {"description": "…", "default": {}, "allOf": [{"$ref": f"{PREFIX}PodSpec"}]}
    assert simplified(described) == {"$ref": "PodSpec"}


def test_prose_and_words_that_may_grow_are_left_out() -> None:
    field = {"type": "string", "description": "…", "enum": ["TCP", "UDP"], "format": "word"}
    assert simplified(field) == {"type": "string", "format": "word"}


def test_only_a_field_that_may_be_missing_has_a_default() -> None:
    port: JSON = {
        "type": "object",
        "required": ["number"],
        "properties": {
            "number": {"type": "integer", "default": 0},
            "protocol": {"type": "string", "default": "TCP"},
            "target": {"default": {}, "allOf": [{"$ref": f"{PREFIX}Target"}]},
        },
    }
    assert simplified(port)["properties"] == {
        "number": {"type": "integer"},
        "protocol": {"type": "string", "default": "TCP"},
        "target": {"$ref": "Target"},
    }


def test_what_is_inside_lists_and_maps_is_simplified_too() -> None:
    lists = {"type": "array", "items": {"type": "string", "default": ""}}
    maps = {"type": "object", "additionalProperties": {"type": "string", "default": ""}}
    assert simplified(lists) == {"type": "array", "items": {"type": "string"}}
    assert simplified(maps) == {"type": "object", "additionalProperties": {"type": "string"}}


def test_definitions_bring_those_that_they_refer_to_and_no_others() -> None:
    refers = {"properties": {"a": {"anyOf": [{"$ref": f"{PREFIX}A"}]}}}
    schemas = EMPTY | {
        "io.k8s.api.core.v1.Toleration": refers,
        "io.k8s.api.core.v1.A": {"type": "object"},
        "io.k8s.api.core.v1.B": {"type": "object"},
    }
    assert "A" in followed(schemas)
    assert "B" not in followed(schemas)


def test_a_quantity_has_the_pattern_that_openapi_does_not_tell() -> None:
    quantity = "io.k8s.apimachinery.pkg.api.resource.Quantity"
    refers = {"properties": {"cpu": {"$ref": f"#/components/schemas/{quantity}"}}}
    schemas = EMPTY | {"io.k8s.api.core.v1.Taint": refers, quantity: {"oneOf": []}}
    assert followed(schemas)["Quantity"]["x-kubernetes-int-or-string"] is True


def test_each_definition_has_its_line() -> None:
    definitions: dict[str, JSON] = {"B": {"type": "string"}, "A": {"type": "object"}}
    text = one_per_line(definitions)
    assert text.splitlines()[1] == '"A":{"type":"object"},'
    assert msgspec.json.decode(text) == definitions


def test_documents_become_one_file_of_definitions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    halves = (FOLLOWED[::2], FOLLOWED[1::2])
    paths = [tmp_path / "one.json", tmp_path / "two.json"]
    for path, names in zip(paths, halves, strict=True):
        schemas = {name: EMPTY[name] for name in names}
        path.write_bytes(msgspec.json.encode({"components": {"schemas": schemas}}))
    main(map(str, paths))
    written = msgspec.json.decode(capsys.readouterr().out)
    assert set(written) == {name.rpartition(".")[2] for name in FOLLOWED}


def test_a_definition_that_is_referred_to_twice_is_written_once() -> None:
    target = {"$ref": "#/components/schemas/io.k8s.api.core.v1.A"}
    refers = {"properties": {"a": target, "b": target}}
    schemas = EMPTY | {"io.k8s.api.core.v1.Taint": refers, "io.k8s.api.core.v1.A": {}}
    assert len(followed(schemas)) == len(FOLLOWED) + 1
