"""Who reaches whom, as the scripts of nodes and switch say it."""

import json
import re
from ipaddress import IPv4Network

import pytest

from liqo.playground.layout import Layout, Node, Options
from liqo.playground.network import (
    collapsed,
    cut_rules,
    destinations,
    neighbours,
    node_rules,
    node_script,
    switch_links,
)
from tests.golden import assert_golden
from tests.unit.playground.layouts import GOLDEN, a_layout

FLAT = Options(flat=True)


def flat(pod_cidr: str) -> Options:
    return Options(flat=True, pod_cidr=pod_cidr)


def node_of(layout: Layout, cluster: str, index: int = 0) -> Node:
    return layout.cluster(cluster).nodes[index]


def names(nodes: list[Node]) -> list[str]:
    return [node.name for node in nodes]


def dropped(layout: Layout, *pairs: frozenset[str]) -> set[tuple[str, str]]:
    rules = cut_rules(layout, frozenset(pairs))
    return set(re.findall(r'iifname "(\S+)" oifname "(\S+)" drop', rules))


def test_a_node_knows_its_address_its_neighbours_and_what_stays_inside() -> None:
    layout = a_layout(venice=Options(workers=1, flat=True), florence=FLAT)
    assert_golden(node_script(layout, node_of(layout, "venice")), GOLDEN / "node.sh")


def test_a_switch_is_a_bridge() -> None:
    assert switch_links() == ("link set lo up\nlink add switch type bridge\nlink set switch up\n")


def test_a_node_reaches_the_pods_of_its_own_cluster_directly() -> None:
    layout = a_layout(venice=Options(workers=2), florence=Options())
    assert names(neighbours(layout, node_of(layout, "venice", 1))) == ["venice", "venice-worker-2"]
    assert names(neighbours(layout, node_of(layout, "florence"))) == []


@pytest.mark.parametrize(
    ("venice", "florence", "direct"),
    [
        (FLAT, FLAT, ["florence"]),
        (FLAT, Options(), []),
        (Options(), FLAT, []),
    ],
)
def test_flat_clusters_reach_each_others_pods(
    venice: Options, florence: Options, direct: list[str]
) -> None:
    layout = a_layout(venice=venice, florence=florence)
    assert names(neighbours(layout, node_of(layout, "venice"))) == direct


def test_pods_keep_their_address_only_where_it_is_known() -> None:
    layout = a_layout(venice=Options(workers=1), florence=Options())
    rules = node_rules(layout, node_of(layout, "venice", 1))
    assert "ip saddr 10.128.4.0/22 ip daddr != { 10.128.0.0/16 } snat to 172.30.0.17\n" in rules


def test_nothing_but_the_playground_is_let_out() -> None:
    layout = a_layout(venice=FLAT, florence=FLAT)
    rules = node_rules(layout, node_of(layout, "venice"))
    assert (
        'oifname "eth0" ip daddr != { 172.30.0.0/24, 10.128.0.0/16, 10.129.0.0/22 } drop' in rules
    )


@pytest.mark.parametrize(
    ("networks", "left"),
    [
        (set(), set()),
        ({"10.0.0.0/16"}, {"10.0.0.0/16"}),
        ({"10.0.0.0/16", "10.0.4.0/22", "10.1.0.0/22"}, {"10.0.0.0/16", "10.1.0.0/22"}),
        ({"10.0.0.0/8", "10.0.0.0/16", "10.0.0.0/24"}, {"10.0.0.0/8"}),
    ],
)
def test_a_set_of_networks_does_not_overlap_itself(networks: set[str], left: set[str]) -> None:
    assert {str(network) for network in collapsed(networks)} == left


def test_a_cut_pulls_every_cable_between_two_clusters_both_ways() -> None:
    layout = a_layout(venice=Options(workers=1), florence=Options(), naples=Options())
    near = [node_of(layout, "venice", 0).port, node_of(layout, "venice", 1).port]
    far = node_of(layout, "florence").port
    one_way = {(port, far) for port in near}
    assert dropped(layout, frozenset({"venice", "florence"})) == one_way | {
        (far, port) for port in near
    }


def test_several_cuts_hold_at_once_and_a_cluster_that_left_is_no_trouble() -> None:
    layout = a_layout(venice=Options(), florence=Options(), naples=Options())
    cuts = [frozenset({"venice", "florence"}), frozenset({"venice", "naples"})]
    assert len(dropped(layout, *cuts)) == 4
    assert len(dropped(layout.without_cluster("naples"), *cuts)) == 2


def test_without_cuts_the_table_is_emptied() -> None:
    assert_golden(cut_rules(a_layout(venice=Options()), frozenset()), GOLDEN / "no-cuts.nft")


def test_a_machine_uses_the_networks_it_has_routes_to() -> None:
    routes = [
        {"dst": "default", "gateway": "192.0.2.1"},
        {"dst": "192.0.2.0/24", "dev": "eth0"},
        {"type": "local", "dst": "192.0.2.7"},
        {"type": "broadcast", "dst": "192.0.2.255"},
        {"dst": "0.0.0.0/1", "dev": "tun0"},
        {"dst": "128.0.0.0/1", "dev": "tun0"},
    ]
    assert destinations(json.dumps(routes)) == [
        IPv4Network("192.0.2.0/24"),
        IPv4Network("192.0.2.7/32"),
    ]
