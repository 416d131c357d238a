"""The CRDs that we ship, against those of the wire: keyword by keyword, with every difference."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from liqo.api.crds.files import CRDS, files
from liqo.api.crds.render import manifest
from liqo.api.meta import JSON
from tests import wire

SHIPPED = Path(__file__).parents[4] / "deploy" / "crds"

# Kinds of our own: why there are such.
OURS = {"peeringclaims.authentication.liqo.io": "peering by a command that was printed before"}

# Kind, place and keyword (of a schema; or a word of the definition itself), and why ours is other.
DIFFERENCES = (
    ("ForeignCluster", "", "columns", "the table of old, ROLE and CLUSTERID only with -o wide"),
    ("ForeignCluster", ".status.peering*", "*", "what that table shows; ours alone"),
    ("NamespaceMap", ".status.currentMapping{}.message", "*", "why there is none; ours alone"),
    ("ResourceSlice", "", "shortNames", "`resourceslice` is Kubernetes' own kind since 1.34"),
    ("ShadowPod", ".spec.pod*", "*", "open: the whole schema costs 8 ms per pod"),
    ("ShadowPod", ".status.observedGeneration", "*", "a pod that shrank has; ours alone"),
    ("VkOptionsTemplate", ".spec.customResources*", "*", "further kinds to reflect; ours alone"),
    (
        "*",
        ".spec.*.spec.template.spec*",
        "x-kubernetes-preserve-unknown-fields",
        "a pod of a newer Kubernetes keeps the fields that the schema does not know",
    ),
    (
        "*",
        ".spec.*.spec.template.spec.*",
        "x-kubernetes-map-type",
        "Kubernetes merges what the Go implementation replaces: references inside another type",
    ),
    (
        "*",
        ".spec.*.spec.template.spec.volumes[[]].azureDisk.*",
        "default",
        "Kubernetes' own defaults, which a Deployment gets anyway",
    ),
)

Fact = tuple[str, str]  # place, keyword


def facts(crd: JSON) -> dict[Fact, Any]:
    """All that a CRD says, under a place and a keyword each."""
    spec = crd["spec"]
    (version,) = spec["versions"]
    definition = {
        **crd["metadata"],
        **{part: spec[part] for part in spec if part not in {"names", "versions"}},
        **spec["names"],
        **{part: version[part] for part in ("name", "served", "storage")},
        "subresources": version.get("subresources", {}),  # empty and absent are the same
        "columns": version.get("additionalPrinterColumns", []),
    }
    said = {("", word): value for word, value in definition.items()}
    return said | dict(schema_facts("", version["schema"]["openAPIV3Schema"]))


def schema_facts(place: str, schema: JSON) -> Iterator[tuple[Fact, Any]]:
    for keyword, value in schema.items():
        match keyword:
            case "properties":
                for name, field in value.items():
                    yield from schema_facts(f"{place}.{name}", field)
            case "items":
                yield from schema_facts(f"{place}[]", value)
            case "additionalProperties":
                yield from schema_facts(f"{place}{{}}", value)
            case "required" | "enum":
                yield (place, keyword), sorted(value)
            case _:
                yield (place, keyword), value


def differences() -> list[tuple[str, str, str]]:
    on_the_wire = wire.crds()
    return [
        (crd.model.KIND.name, *fact)
        for crd in CRDS
        if wire.is_known(crd.model)
        for fact in different(
            facts(on_the_wire[f"{crd.model.KIND.plural}.{crd.model.KIND.group}"]),
            facts(manifest(crd)),
        )
    ]


def different(theirs: dict[Fact, Any], ours: dict[Fact, Any]) -> list[Fact]:
    return [fact for fact in theirs | ours if theirs.get(fact) != ours.get(fact)]


def is_listed(difference: tuple[str, str, str], row: tuple[str, str, str, str]) -> bool:
    return all(map(fnmatchcase, difference, row[:3]))


def test_all_kinds_of_the_wire_are_there() -> None:
    ours = {manifest(crd)["metadata"]["name"] for crd in CRDS}
    assert ours == set(wire.crds()) | set(OURS)


def test_every_difference_from_the_wire_is_listed() -> None:
    unlisted = [
        difference
        for difference in differences()
        if not any(is_listed(difference, row) for row in DIFFERENCES)
    ]
    assert unlisted == []


def test_every_listed_difference_exists() -> None:
    found = differences()
    stale = [row for row in DIFFERENCES if not any(is_listed(each, row) for each in found)]
    assert stale == []


@pytest.mark.parametrize("name", ["VirtualNode", "WgGatewayClient", "WgGatewayServer"])
def test_no_field_of_a_pod_is_missing_or_narrower(name: str) -> None:
    (crd,) = (crd for crd in CRDS if crd.model.KIND.name == name)
    theirs = facts(wire.crds()[f"{crd.model.KIND.plural}.{crd.model.KIND.group}"])
    ours = facts(manifest(crd))
    inside_a_pod = {fact for fact in theirs if ".spec.template.spec" in fact[0]}
    assert len(inside_a_pod) > 1000
    wider = {"x-kubernetes-map-type"}  # about who may merge what, not about what is accepted
    lost = [fact for fact in inside_a_pod - set(ours) if fact[1] not in wider]
    changed = [fact for fact in inside_a_pod & set(ours) if theirs[fact] != ours[fact]]
    limits = {"enum", "pattern", "required", "maxLength", "minLength", "format"}
    fields = {place for place, _ in theirs}
    added = [fact for fact in set(ours) - set(theirs) if fact[1] in limits and fact[0] in fields]
    assert (lost, changed, added) == ([], [], [])


def test_the_shipped_files_are_those_of_the_models() -> None:
    shipped = {file.name: file.read_text() for file in SHIPPED.iterdir()}
    rendered = files()
    assert sorted(shipped) == sorted(rendered)
    assert [name for name in rendered if shipped[name] != rendered[name]] == [], "run: make crds"
