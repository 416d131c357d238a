"""From flags to a wish, and what is refused before a cluster is asked."""

from pathlib import Path
from typing import Any

import pytest

from liqo.cli.installing import check, from_flags, new_name, read, warnings, wished
from liqo.errors import LiqoError
from liqo.install.providers import Facts
from liqo.install.surroundings import Surroundings
from liqo.install.wish import Place, Wish, settle
from liqo.rules import names

SAID: dict[str, Any] = {
    "cluster_id": "",
    "cluster_name": "",
    "cluster_labels": (),
    "pod_cidr": (),
    "service_cidr": "",
    "reserved_subnets": (),
    "api_server_url": "",
    "sharing_percentage": None,
    "enable_metrics": False,
    "set": (),
    "set_string": (),
    "values": (),
    "only_output_values": False,
    "dump_values_path": "",
    "skip_validation": False,
    "disable_api_server_sanity_check": False,
    "liqo_namespace": "liqo",
}
NETWORKS = Facts({"ipam.podCIDRs": ["10.1.0.0/16"], "ipam.serviceCIDR": "10.2.0.0/16"})


def said(**more: Any) -> dict[str, Any]:
    return {**SAID, **more}


def place(**seen: Any) -> Place:
    return Place(NETWORKS, Surroundings(**seen), "https://10.0.0.1:6443")


def test_who_says_nothing_wishes_nothing() -> None:
    assert wished("", said()) == Wish(sets=({}, {}), files=[])


def test_flags_are_values() -> None:
    flags = from_flags(
        said(
            cluster_name="rome",
            cluster_labels=({"a": "1"}, {"b": "2"}),
            pod_cidr=("10.1.0.0/16", "10.2.0.0/16"),
            reserved_subnets=("10.3.0.0/16,10.4.0.0/16",),
            sharing_percentage=50,
            enable_metrics=True,
        )
    )
    assert flags == {
        "discovery.config.clusterID": "rome",
        "discovery.config.clusterLabels": {"a": "1", "b": "2"},
        "ipam.podCIDRs": ["10.1.0.0/16", "10.2.0.0/16"],
        "ipam.reservedSubnets": ["10.3.0.0/16", "10.4.0.0/16"],
        "metrics.enabled": True,
        "controllerManager.config.resourceSharingPercentage": 50,
    }


def test_zero_percent_is_said_and_not_taken_for_silence() -> None:
    settings = settle(wished("", said(cluster_id="rome", sharing_percentage=0)), place(), "1", str)
    with pytest.raises(LiqoError, match="--sharing-percentage: 0 percent is to lend nothing"):
        check(settings, place(), said())


def test_the_newer_spelling_of_the_id_wins() -> None:
    both = from_flags(said(cluster_id="rome", cluster_name="milan"))
    assert both == {"discovery.config.clusterID": "rome"}


def test_files_are_read_in_their_order(tmp_path: Path) -> None:
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text("tag: v1\n")
    second.write_text("ipam: {podCIDR: 10.0.0.0/16}\n")
    wish = wished("kind", said(values=(str(first), str(second)), set_string=("tag=1",)))
    assert wish.files == [{"tag": "v1"}, {"ipam.podCIDR": "10.0.0.0/16"}]
    assert wish.sets == ({}, {"tag": "1"})


@pytest.mark.parametrize(
    ("content", "why"),
    [("tag: [", "is not YAML"), ("- a\n- b\n", "it must hold keys"), (None, "cannot read")],
)
def test_a_file_that_holds_no_values_is_named(tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "values.yaml"
    if content:
        path.write_text(content)
    with pytest.raises(LiqoError, match=why):
        read(str(path))


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").write_text("")
    assert read(str(tmp_path / "empty.yaml")) == {}


def test_a_path_for_values_is_of_use_only_when_they_are_written() -> None:
    with pytest.raises(LiqoError, match="in conjunction with --only-output-values"):
        wished("", said(dump_values_path="x"))


@pytest.mark.parametrize(
    ("flags", "seen", "why"),
    [
        ({"cluster_id": "Rome"}, {}, "lower case letters"),
        ({"cluster_id": "r" * 51}, {}, "at most 50"),
        ({"cluster_id": "rome"}, {"cluster_id": "milan"}, "Changing the cluster ID"),
        ({"service_cidr": "10.1.0.0/24"}, {}, "overlaps"),
        ({"api_server_url": "https://10.9.9.9"}, {}, "sanity-check"),
    ],
)
def test_what_cannot_work_is_refused(flags: Any, seen: Any, why: str) -> None:
    there, told = place(**seen), said(**flags)
    settings = settle(wished("", told), there, "1.2.3", lambda: "rome")
    with pytest.raises(LiqoError, match=why):
        check(settings, there, told)


@pytest.mark.parametrize(
    "flags",
    [
        {},
        {"service_cidr": "10.1.0.0/24", "skip_validation": True},
        {"api_server_url": "https://10.9.9.9", "disable_api_server_sanity_check": True},
    ],
)
def test_what_works_or_is_insisted_on_passes(flags: Any) -> None:
    told = said(**flags)
    check(settle(wished("", told), place(), "1.2.3", lambda: "rome"), place(), told)


def test_what_has_no_effect_is_warned_about() -> None:
    wish = wished("", said(set=("networking.genevePort=1",)))
    settings = settle(wish, place(), "1.2.3", lambda: "rome")
    [warning] = warnings(wish, place(), settings)
    assert warning.startswith('"networking.genevePort" has no effect')


def test_a_percentage_that_goes_back_is_warned_about_and_one_that_is_said_is_not() -> None:
    there = place(sharing={"percentage": "50"})
    wish = wished("", said())
    [warning] = warnings(wish, there, settle(wish, there, "1.2.3", lambda: "rome"))
    assert warning.startswith("the sharing percentage goes from 50 to 90")
    wish = wished("", said(sharing_percentage=90))
    assert [*warnings(wish, there, settle(wish, there, "1.2.3", lambda: "rome"))] == []


def test_in_a_playground_the_image_must_be_brought() -> None:
    wish = wished("playground", said())
    settings = settle(wish, place(), "1.2.3", lambda: "rome")
    [warning] = warnings(wish, place(), settings)
    assert "liqoctl playground load" in warning
    assert [*warnings(wish, place(images=frozenset({settings.image})), settings)] == []


def test_a_new_name_is_a_cluster_id() -> None:
    assert names.check_cluster_id(new_name()) == ""
