"""A whole installation."""

from collections import Counter

from liqo.install.kinds import key_of, kind_of
from liqo.install.marks import PART_OF
from liqo.install.render import render
from tests.unit.install.settled import settings


def test_everything_is_there_once() -> None:
    made = render(settings())
    assert len({(kind_of(each), key_of(each)) for each in made}) == len(made)
    kinds = Counter(each["kind"] for each in made)
    assert kinds["CustomResourceDefinition"] == 29  # those of the wire, and PeeringClaim
    assert kinds["Deployment"] == 3
    assert kinds["StorageClass"] == 0


def test_the_namespace_comes_first_and_carries_no_mark() -> None:
    first = render(settings())[0]
    assert (first["kind"], first["metadata"]) == ("Namespace", {"name": "liqo", "labels": {}})


def test_all_but_the_foundation_is_marked_as_ours() -> None:
    rest = [
        each
        for each in render(settings())
        if each["kind"] not in ("Namespace", "CustomResourceDefinition")
    ]
    assert all(each["metadata"]["labels"][PART_OF] == "liqo" for each in rest)


def test_the_same_settings_make_the_same_manifests() -> None:
    assert render(settings()) == render(settings())
