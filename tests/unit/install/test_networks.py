"""The networks of a cluster as objects."""

from liqo.api.meta import JSON
from liqo.install.networks import dashed, manifests
from tests.unit.install.settled import settings


def made(**given: object) -> dict[str, JSON]:
    return {each["metadata"]["name"]: each for each in manifests(settings(**given))}


def test_each_network_has_what_it_asks_for() -> None:
    found = made()
    assert {name: each["spec"]["cidr"] for name, each in found.items()} == {
        "pod-cidr-10-128-0-0-16": "10.128.0.0/16",
        "service-cidr": "10.192.0.0/16",
        "external-cidr": "10.70.0.0/16",
        "internal-cidr": "10.80.0.0/16",
    }
    assert all(each["status"]["cidr"] == each["spec"]["cidr"] for each in found.values())


def test_a_network_is_known_by_its_type() -> None:
    types = {
        name: each["metadata"]["labels"]["ipam.liqo.io/network-type"]
        for name, each in made().items()
    }
    assert types["pod-cidr-10-128-0-0-16"] == "pod-cidr"
    assert types["external-cidr"] == "external-cidr"


def test_what_was_chosen_keeps_its_number() -> None:
    kept = "ipam.liqo.io/network-not-remapped"
    assert kept not in made()["external-cidr"]["metadata"]["labels"]
    chosen = made(**{"ipam.externalCIDR": "10.71.0.0/16"})["external-cidr"]
    assert chosen["spec"] == {"cidr": "10.71.0.0/16", "preAllocated": 1}
    assert chosen["metadata"]["labels"][kept] == "true"


def test_a_single_pod_cidr_and_reserved_networks_have_names_of_their_own() -> None:
    given = {
        "ipam.podCIDR": "10.1.0.0/16",
        "ipam.podCIDRs": [],
        "ipam.reservedSubnets": ["10.9.0.0/16"],
    }
    found = made(**given)
    assert found["pod-cidr"]["spec"]["cidr"] == "10.1.0.0/16"
    assert (
        found["reserved-10-9-0-0-16"]["metadata"]["labels"]["ipam.liqo.io/network-type"]
        == "reserved"
    )


def test_a_cluster_without_a_known_service_network_has_none() -> None:
    assert "service-cidr" not in made(**{"ipam.serviceCIDR": ""})


def test_a_cidr_can_be_part_of_a_name() -> None:
    assert dashed("10.0.0.0/8") == "10-0-0-0-8"
