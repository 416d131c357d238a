"""Which name, which address, and what is refused."""

import re
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as some

from liqo.playground import delay
from liqo.playground.errors import PlaygroundError
from liqo.playground.layout import (
    LABEL,
    MAX_CLUSTERS,
    MAX_NODE_NAME,
    MAX_NODES,
    Cluster,
    Layout,
    Options,
    Simulated,
    check_name,
    check_names,
    check_same_network,
    node_name,
)
from tests.unit.playground.layouts import a_layout

LINK = 15  # characters that Linux gives the name of a link

labels = some.from_regex(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True)


def refused(because: str) -> pytest.RaisesExc[PlaygroundError]:
    return pytest.raises(PlaygroundError, match=re.escape(because))


def full() -> Layout:
    return a_layout(
        **{f"c{number}": Options(workers=MAX_NODES - 1) for number in range(MAX_CLUSTERS - 1)}
    )


@given(labels)
def test_every_dns_label_is_a_name(name: str) -> None:
    check_name("cluster", name)


@pytest.mark.parametrize("name", ["", "-", "Rome", "rome-", "-rome", "ro.me", "ro me", "rome\n"])
def test_what_is_no_dns_label_is_no_name(name: str) -> None:
    with refused(f'the cluster name "{name}" is not a DNS label'):
        check_name("cluster", name)


def test_a_name_that_is_too_long_is_told_how_long_it_is() -> None:
    with refused("has 64 characters and may have 63"):
        check_name("playground", 64 * "x")


def test_a_cluster_is_named_once() -> None:
    check_names(["rome", "milan"])
    with refused('"rome" is named twice'):
        check_names(["rome", "milan", "rome"])


@given(labels, labels, some.integers(0, MAX_NODES - 1))
def test_links_have_names_that_linux_takes_whatever_the_clusters_are_called(
    playground: str, name: str, workers: int
) -> None:
    layout = Layout(playground, "172.30.0.0/24").with_cluster(name, Options(workers=workers))
    links = [layout.host_link, *(node.port for node in layout.nodes), delay.device(name)]
    assert len(set(links)) == len(links)
    assert [link for link in links if len(link) > LINK] == []


@given(labels, some.integers(0, MAX_NODES - 1))
def test_a_node_name_is_a_label_that_fits_into_a_certificate(cluster: str, index: int) -> None:
    name = node_name(cluster, index)
    assert LABEL.fullmatch(name)
    assert len(name) <= MAX_NODE_NAME


@given(some.lists(labels, unique=True, min_size=1, max_size=MAX_CLUSTERS - 1), some.data())
def test_no_two_nodes_of_a_playground_share_an_address_or_a_namespace(
    names: list[str], data: some.DataObject
) -> None:
    layout = Layout("default", "172.30.7.0/24")
    for name in names:
        layout = layout.with_cluster(name, Options(data.draw(some.integers(0, MAX_NODES - 1))))
    nodes = list(layout.nodes)
    assert len({node.address for node in nodes} | {layout.host_address}) == len(nodes) + 1
    assert len({node.namespace for node in nodes} | {layout.switch}) == len(nodes) + 1
    assert len({node.pod_cidr for node in nodes}) == len(nodes)
    assert all(IPv4Address(node.address) in IPv4Network(layout.network) for node in nodes)


def test_a_full_playground_still_has_an_address_for_each_of_its_nodes() -> None:
    addresses = [IPv4Address(node.address) for node in full().nodes]
    hosts = set(IPv4Network("172.30.0.0/24").hosts())
    assert len(set(addresses)) == (MAX_CLUSTERS - 1) * MAX_NODES
    assert set(addresses) <= hosts


def test_a_full_playground_takes_no_further_cluster() -> None:
    with refused('the playground "on-paper" is full (15 clusters): use another one'):
        full().with_cluster("one-more", Options())


def test_a_cluster_takes_the_place_of_one_that_left() -> None:
    layout = a_layout(rome=Options(), milan=Options(), turin=Options()).without_cluster("milan")
    again = layout.with_cluster("pisa", Options())
    assert [cluster.name for cluster in again.clusters] == ["rome", "pisa", "turin"]
    assert again.cluster("pisa").index == 1


def test_a_cluster_that_is_not_there_is_not_found_and_not_removed() -> None:
    with refused('no cluster "pisa" in the playground "on-paper" (there: rome, milan)'):
        a_layout(rome=Options(), milan=Options()).cluster("pisa")
    with refused("(there: none); make it with: liqoctl playground up pisa"):
        a_layout().without_cluster("pisa")


def test_every_node_has_its_part_of_the_pods_addresses() -> None:
    [cluster] = a_layout(rome=Options(workers=2)).clusters
    assert cluster.pod_cidr == "10.128.0.0/16"
    assert cluster.service_cidr == "10.192.0.0/16"
    assert [node.pod_cidr for node in cluster.nodes] == [
        "10.128.0.0/22",
        "10.128.4.0/22",
        "10.128.8.0/22",
    ]
    assert cluster.server == "https://172.30.0.16:6443"
    assert cluster.service_address(10) == "10.192.0.10"


def test_two_clusters_may_use_the_same_addresses_for_their_pods() -> None:
    same = Options(pod_cidr="10.50.0.0/16", service_cidr="10.60.0.0/16")
    assert {cluster.pod_cidr for cluster in a_layout(rome=same, milan=same).clusters} == {
        "10.50.0.0/16"
    }


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (Options(pod_cidr="fd00::/64"), '--pod-cidr "fd00::/64" is not an IPv4 network'),
        (Options(pod_cidr="10.1.2.3/16"), "has host bits set"),
        (Options(service_cidr="many"), '--service-cidr "many" is not an IPv4 network'),
        (Options(pod_cidr="10.5.0.0/23"), "--pod-cidr 10.5.0.0/23 is too small for a cluster"),
        (Options(service_cidr="10.5.0.0/29"), "is too small for a cluster: use a /28 or larger"),
        (
            Options(pod_cidr="10.192.0.0/12"),
            'the pod CIDR 10.192.0.0/12 of "rome" overlaps its service CIDR 10.192.0.0/16: '
            "choose others with --pod-cidr and --service-cidr",
        ),
        (Options(pod_cidr="172.16.0.0/12"), "overlaps its node network 172.30.0.0/24"),
        (Options(service_cidr="172.30.0.0/24"), "the service CIDR 172.30.0.0/24"),
        (Options(workers=14), "may have at most 13 workers, not 14: use --kwok for more"),
    ],
)
def test_what_cannot_work_is_refused_with_the_reason(options: Options, sentence: str) -> None:
    with refused(sentence):
        a_layout(rome=options)


def test_the_smallest_networks_leave_room_for_the_addons_on_every_node() -> None:
    options = Options(pod_cidr="10.5.0.0/22", service_cidr="10.6.0.0/28", workers=MAX_NODES - 1)
    [cluster] = a_layout(rome=options).clusters
    assert {IPv4Network(node.pod_cidr).num_addresses for node in cluster.nodes} == {16}
    assert all(is_inside(cluster, node.pod_cidr) for node in cluster.nodes)


def is_inside(cluster: Cluster, network: str) -> bool:
    return IPv4Network(network).subnet_of(IPv4Network(cluster.pod_cidr))


def test_a_cluster_that_is_up_stays_as_it_is_when_nothing_is_asked_for() -> None:
    layout = a_layout(rome=Options(workers=1, audit=True))
    assert layout.with_cluster("rome", Options()) == layout


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (Options(), Options(workers=2)),
        (Options(workers=1), Options(workers=2, flat=True)),
        (Options(), Options(simulated=Simulated(10, cpu="8"))),
        (Options(audit=True), Options(audit=True, workers=1)),
    ],
)
def test_a_cluster_that_is_up_may_grow(old: Options, new: Options) -> None:
    before = a_layout(rome=old).cluster("rome")
    after = a_layout(rome=old).with_cluster("rome", new).cluster("rome")
    assert after.options == new
    assert after.nodes[: len(before.nodes)] == before.nodes
    assert len(after.nodes) == 1 + new.workers


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (Options(workers=2), Options(workers=1)),
        (Options(simulated=Simulated(10)), Options(simulated=Simulated(9))),
        (Options(), Options(audit=True)),
        (Options(), Options(pod_cidr="10.50.0.0/16", workers=1)),
        (Options(audit=True), Options(workers=1)),
        (Options(flags=(("etcd", "--v=1"),)), Options(flags=(("etcd", "--v=2"),))),
        (Options(flat=True), Options(workers=1)),
    ],
)
def test_a_cluster_that_is_up_does_not_become_another(old: Options, new: Options) -> None:
    with refused(
        'the cluster "rome" is up with other options, and only more --workers, more --kwok or '
        "--flat can be added to it; first: liqoctl playground down rome"
    ):
        a_layout(rome=old).with_cluster("rome", new)


@pytest.mark.parametrize("pods", ["10.5.0.0/16", "10.4.0.0/14"])
def test_flat_clusters_have_pod_addresses_of_their_own(pods: str) -> None:
    same = Options(pod_cidr="10.5.0.0/16")
    layout = a_layout(rome=replace(same, flat=True), milan=same)
    with pytest.raises(PlaygroundError, match='"pisa" and "rome" share pod addresses'):
        layout.with_cluster("pisa", Options(flat=True, pod_cidr=pods))
    with pytest.raises(PlaygroundError, match='"milan" and "rome" share pod addresses'):
        layout.with_cluster("milan", replace(same, flat=True))


def test_a_playground_keeps_its_network() -> None:
    layout = a_layout(rome=Options())
    check_same_network(layout, "")
    check_same_network(layout, layout.network)
    with refused('"on-paper" has the network 172.30.0.0/24 and keeps it'):
        check_same_network(layout, "172.30.9.0/24")


@pytest.mark.parametrize(
    ("simulated", "sentence"),
    [
        (Simulated(1, cpu="lots"), 'cpu of a simulated node: "lots" is not a quantity'),
        (Simulated(1, resources=(("a.b/gpu", "x"),)), "a.b/gpu of a simulated node"),
        (Simulated(resources=(("a.b/gpu", "8"),)), "say how many with --kwok N"),
    ],
)
def test_simulated_nodes_have_sizes_that_kubernetes_can_read(
    simulated: Simulated, sentence: str
) -> None:
    with refused(sentence):
        a_layout(rome=Options(simulated=simulated))
