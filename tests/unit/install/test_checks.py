"""What cannot work, and how it is said."""

import json
import re
from collections.abc import Mapping

import msgspec
import pytest

from liqo.api.ipam import Network, NetworkSpec
from liqo.api.kubernetes import Pod, Service
from liqo.api.meta import Meta
from liqo.install import checks
from liqo.install.surroundings import Surroundings
from tests.unit.install.settled import settings

EMPTY: Mapping[str, object] = {}


def pod(ip: str, *, host: bool = False, phase: str = "Running", label: str = "") -> Pod:
    return Pod(
        metadata=Meta(name="web", namespace="shop", labels={label: "true"} if label else {}),
        raw_spec=raw({"hostNetwork": host}),
        raw_status=raw({"podIP": ip, "phase": phase}),
    )


def service(ip: str) -> Service:
    return Service(metadata=Meta(name="web", namespace="shop"), raw_spec=raw({"clusterIP": ip}))


def raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(value).encode())


def problems(seen: Surroundings | None = None, given: Mapping[str, object] = EMPTY) -> list[str]:
    return [*checks.problems(settings(**given), seen or Surroundings())]


def test_an_ordinary_installation_has_no_problem() -> None:
    seen = Surroundings(pods=[pod("10.128.0.3")], services=[service("10.192.0.1")])
    assert problems(seen) == []
    assert [*checks.refusals(settings(), seen), *checks.renumbered(settings(), seen)] == []


@pytest.mark.parametrize(
    ("seen", "sentence"),
    [
        (Surroundings("milan", "liqoctl"), 'Changing the cluster ID .* It is "milan"'),
        (Surroundings("rome", "Helm"), "installed with Helm: uninstall that one first"),
        (Surroundings(elsewhere="other"), "--namespace other, or uninstall it first"),
    ],
)
def test_an_earlier_installation_is_not_destroyed(seen: Surroundings, sentence: str) -> None:
    [said] = checks.refusals(settings(), seen)
    with pytest.raises(ValueError, match=sentence):
        raise ValueError(said)


def test_the_same_installation_may_be_repeated() -> None:
    assert [*checks.refusals(settings(), Surroundings("rome", "liqoctl"))] == []


def test_a_network_keeps_its_cidr_for_life() -> None:
    there = Network(metadata=Meta(name="external-cidr"), spec=NetworkSpec(cidr="10.70.0.0/16"))
    seen = Surroundings(networks=[there])
    assert [*checks.renumbered(settings(), seen)] == []
    [said] = checks.renumbered(settings(**{"ipam.externalCIDR": "10.71.0.0/16"}), seen)
    assert 'the network "external-cidr" of this installation is 10.70.0.0/16' in said


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "0.0.0.0"])
def test_an_address_of_this_machine_is_no_address_for_others(host: str) -> None:
    [said] = problems(given={"apiServer.address": f"https://{host}:6443"})
    assert said.startswith("cannot use localhost as API Server address")


def test_another_address_than_the_kubeconfigs_is_asked_about() -> None:
    assert [*checks.differs("https://10.0.0.1:6443", "https://10.0.0.1")] == []
    assert [*checks.differs("", "https://10.0.0.1")] == []
    [said] = checks.differs("https://10.0.0.2:6443", "https://10.0.0.1:6443")
    assert "--disable-api-server-sanity-check" in said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"ipam.serviceCIDR": "10.128.8.0/24"},
            'CIDR "10.128.0.0/16" overlaps with CIDR "10.128.8.0/24"',
        ),
        (
            {"ipam.reservedSubnets": ["10.70.0.0/24"]},
            'CIDR "10.70.0.0/16" overlaps with CIDR "10.70.0.0/24"',
        ),
        (
            {"ipam.podCIDRs": ["10.1.0.0/16", "10.1.2.0/24"]},
            'CIDR "10.1.0.0/16" overlaps with CIDR "10.1.2.0/24"',
        ),
    ],
)
def test_networks_do_not_overlap(given: dict[str, object], said: str) -> None:
    assert problems(given=given) == [said]


def test_what_is_no_network_is_said_before_it_is_compared() -> None:
    [said] = problems(given={"ipam.serviceCIDR": "10.0.0.0/99"})
    assert said.startswith('"10.0.0.0/99" is not an IPv4 network')


def test_addresses_in_use_lie_in_the_networks_that_were_told() -> None:
    seen = Surroundings(pods=[pod("10.9.0.1")], services=[service("10.9.0.2")])
    stray_pod, stray_service = problems(seen)
    assert (
        "pod shop/web has the address 10.9.0.1, outside of the pod CIDR (10.128.0.0/16)"
        in stray_pod
    )
    assert "say the right one with --service-cidr" in stray_service


@pytest.mark.parametrize(
    "elsewhere",
    [
        pod("172.30.0.1", host=True),
        pod("10.9.0.1", label="liqo.io/shadowPod"),
        pod("10.9.0.1", phase="Succeeded"),
        pod(""),
        pod("fd00::1"),
    ],
)
def test_pods_that_have_no_address_of_the_pod_network_do_not_count(elsewhere: Pod) -> None:
    assert problems(Surroundings(pods=[elsewhere])) == []


def test_a_service_without_an_address_does_not_count() -> None:
    assert problems(Surroundings(services=[service("None"), service("")])) == []


@pytest.mark.parametrize(
    ("name", "value", "fits"),
    [
        ("topology.liqo.io/region", "north", True),
        ("empty", "", True),
        ("region", "up north", False),
        ("region", "a,b", False),
        ("re gion", "north", False),
        ("region", "x" * 64, False),
    ],
)
def test_the_labels_of_the_cluster_fit_on_a_node(name: str, value: str, fits: bool) -> None:
    found = problems(given={"discovery.config.clusterLabels": {name: value}})
    assert (found == []) is fits


@pytest.mark.parametrize(
    ("name", "amount", "wrong"),
    [
        ("cpu", "-4", "cpu cannot be negative, and -4 is"),
        ("memory", "abc", '"abc" is not a quantity; "500m", "2" and "4Gi" are'),
        ("pods", "1.5", "pods comes in whole numbers, and 1.5 is none"),
    ],
)
def test_what_is_granted_unasked_can_be_granted(name: str, amount: str, wrong: str) -> None:
    key = f"offloading.defaultNodeResources.{name}"
    assert problems(given={key: amount}) == [f"{key}: {wrong}"]


@pytest.mark.parametrize("key", checks.ONE_OF)
def test_a_word_that_is_none_is_refused_with_those_that_are(key: str) -> None:
    [said] = problems(given={key: "Perhaps"})
    assert said.startswith(f'the value "{key}" must be one of ')


@pytest.mark.parametrize("percentage", [1, 90, 100])
def test_a_percentage_can_be_shared(percentage: int) -> None:
    assert problems(given={"controllerManager.config.resourceSharingPercentage": percentage}) == []


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("resourceSharingPercentage", 0, "--sharing-percentage: 0 percent is to lend nothing"),
        ("resourceSharingPercentage", 101, '--sharing-percentage: "101" is not a percentage'),
        ("resourceSharingPercentage", -1, '--sharing-percentage: "-1" is not a percentage'),
        ("sharingPercentageOfPeers", {"rome": "abc"}, 'Peers.rome: "abc" is not a percentage'),
        ("sharingPercentageOfPeers", {"Rome": "50"}, "Peers.Rome: .*lower case"),
        ("sharingRounding", "up", "must be one of floor, ceil, at-least-one, and is 'up'"),
    ],
)
def test_nothing_else_can(key: str, value: object, sentence: str) -> None:
    [said] = problems(given={f"controllerManager.config.{key}": value})
    assert re.search(sentence, said)


def test_what_leads_to_no_resource_plugin_is_said_before_anything_is_changed() -> None:
    key = "controllerManager.config.resourcePluginAddress"
    assert problems(given={key: "http://plugin.liqo:8080"}) == []
    [said] = problems(given={key: "plugin"})
    assert said.startswith(f'{key}: "plugin" is not the address of a resource plugin: it names no')
