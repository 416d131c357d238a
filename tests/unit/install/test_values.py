"""Keys and their types, layers and their order."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from liqo.errors import LiqoError
from liqo.install import values
from tests import markdown

FILE = "values.yaml"
MANUAL = Path(__file__).parents[3] / "docs/install.md"


def test_a_tree_becomes_keys() -> None:
    tree = {"ipam": {"podCIDRs": ["10.0.0.0/16"], "serviceCIDR": "10.1.0.0/16"}, "tag": "v1"}
    assert values.flattened(tree, FILE) == {
        "ipam.podCIDRs": ["10.0.0.0/16"],
        "ipam.serviceCIDR": "10.1.0.0/16",
        "tag": "v1",
    }


def test_keys_become_a_tree_again() -> None:
    tree = {"ipam": {"serviceCIDR": "10.1.0.0/16"}, "discovery": {"config": {"clusterID": "rome"}}}
    assert values.tree(values.flattened(tree, FILE)) == tree


def test_what_is_null_is_as_good_as_not_there() -> None:
    assert values.flattened({"tag": None, "ipam": None}, FILE) == {}


def test_the_keys_of_labels_are_free() -> None:
    labels = {"topology.liqo.io/region": "north", "gpu": True, "size": 3}
    found = values.flattened({"discovery": {"config": {"clusterLabels": labels}}}, FILE)
    assert found["discovery.config.clusterLabels"] == {
        "topology.liqo.io/region": "north",
        "gpu": "true",
        "size": "3",
    }


@pytest.mark.parametrize(
    ("tree", "nearest"),
    [
        ({"ipam": {"podCidr": "10.0.0.0/16"}}, "ipam.podCIDR"),
        ({"tags": "v1"}, "tag"),
        ({"webhook": {"replica": 2}}, "webhook.replicas"),
    ],
)
def test_an_unknown_key_is_an_error_that_names_the_nearest(
    tree: dict[str, object], nearest: str
) -> None:
    with pytest.raises(LiqoError, match=f'values.yaml: there is no value .*"{nearest}"$'):
        values.flattened(tree, FILE)


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        ("webhook.port", "9443", "a number"),
        ("webhook.port", True, "a number"),
        ("metrics.enabled", "yes", "true or false"),
        ("tag", ["v1"], "a text"),
        ("tag", True, "a text"),
        ("ipam.podCIDRs", "10.0.0.0/16", "a list"),
        ("discovery.config.clusterLabels", "a=b", "a map"),
    ],
)
def test_a_value_of_another_type_is_refused(key: str, value: object, wanted: str) -> None:
    with pytest.raises(LiqoError, match=f'"{key}" must be {wanted}'):
        values.checked(key, value, FILE)


def test_a_quantity_may_be_a_number() -> None:
    assert values.checked("offloading.defaultNodeResources.cpu", 4, FILE) == "4"


def test_layers_are_joined_and_the_last_word_wins() -> None:
    low = {
        "tag": "v1",
        "ipam.reservedSubnets": ["a", "b"],
        "discovery.config.clusterLabels": {"x": "1"},
    }
    high = {
        "tag": "v2",
        "ipam.reservedSubnets": ["c", "a"],
        "discovery.config.clusterLabels": {"y": "2"},
    }
    assert values.combined(low, high) == {
        "tag": "v2",
        "ipam.reservedSubnets": ["c", "a", "b"],
        "discovery.config.clusterLabels": {"x": "1", "y": "2"},
    }


def test_what_is_set_replaces_lists_and_is_merged_into_maps() -> None:
    below = {"ipam.podCIDRs": ["a"], "discovery.config.clusterLabels": {"x": "1"}}
    above = {"ipam.podCIDRs": ["b"], "discovery.config.clusterLabels": {"y": "2"}}
    assert values.overridden(below, above) == {
        "ipam.podCIDRs": ["b"],
        "discovery.config.clusterLabels": {"x": "1", "y": "2"},
    }


def test_everything_has_a_default() -> None:
    whole = values.complete({"tag": "v1"})
    assert set(whole) == set(values.KNOWN)
    assert whole["tag"] == "v1"
    assert whole["webhook.port"] == 9443


def test_what_has_no_effect_is_known_unless_it_turns_off_what_is_not_there() -> None:
    given = {
        "tag": "v1",
        "networking.genevePort": 1,
        "telemetry": {"enabled": False},
        "proxy": {"enabled": True},
        "networking.enabled": False,
    }
    assert values.idle(given) == ["networking.genevePort", "proxy"]


def test_older_charts_say_which_change_is_worth_an_offer_and_that_has_no_effect() -> None:
    key = "controllerManager.config.offerUpdateThresholdPercentage"
    written = values.flattened(values.tree({key: 5}), "file")
    assert written == {key: "5"}
    assert values.idle(written) == [key]
    assert values.idle({key: ""}) == []


def test_the_manual_lists_every_key_that_has_an_effect() -> None:
    rows = markdown.table_rows(MANUAL.read_text())
    listed = {key for cells in rows for key in spelt_out(cells[0])}
    assert set(values.EFFECTIVE) - listed == set()


def spelt_out(cell: str) -> Iterator[str]:
    """`a.b`, `.c` are a.b and a.c; <kind> is every kind that is reflected."""
    above = ""
    for key in re.findall(r"`([^`]+)`", cell):
        whole = f"{above}{key}" if key.startswith(".") else key
        above = above if key.startswith(".") else key.rpartition(".")[0]
        yield from (whole.replace("<kind>", kind) for kind in values.WORKERS)


def test_no_key_is_below_another() -> None:
    below = [
        (key, other)
        for key in values.KNOWN
        for other in values.KNOWN
        if other.startswith(f"{key}.")
    ]
    assert below == []
