"""Which process with which flags and files, on which node."""

import json
import tomllib

import pytest
import yaml

from liqo.playground.components import Component, check_flags, components
from liqo.playground.errors import PlaygroundError
from liqo.playground.layout import Cluster, Simulated
from tests.golden import assert_golden
from tests.unit.playground.layouts import GOLDEN, a_cluster

WORKER = ["containerd", "kubelet", "kube-proxy"]
CONTROL_PLANE = [
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    *WORKER,
]


def of(cluster: Cluster, index: int = 0) -> dict[str, Component]:
    return {each.name: each for each in components(cluster, cluster.nodes[index])}


def rendered(every: dict[str, Component]) -> str:
    """As a person reads it: a command line per component, then its files."""
    parts = []
    for component in every.values():
        parts.append(" \\\n  ".join([component.name, *component.arguments]))
        parts += [f"--- {name}\n{content}" for name, content in component.files.items()]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


@pytest.mark.parametrize(("role", "index"), [("control-plane", 0), ("worker", 1)])
def test_a_node_runs_what_its_role_says(role: str, index: int) -> None:
    node = of(a_cluster(workers=1), index)
    assert_golden(rendered(node), GOLDEN / f"{role}.txt")


def test_a_control_plane_is_a_worker_too_and_starts_from_the_bottom() -> None:
    cluster = a_cluster(workers=1)
    assert list(of(cluster, 0)) == CONTROL_PLANE
    assert list(of(cluster, 1)) == WORKER


def test_simulated_nodes_bring_one_kwok_on_the_control_plane() -> None:
    cluster = a_cluster(workers=1, simulated=Simulated(3))
    assert list(of(cluster, 0)) == [*CONTROL_PLANE, "kwok"]
    assert list(of(cluster, 1)) == WORKER
    assert "--node-ip=172.30.0.16" in of(cluster)["kwok"].arguments


def test_a_flag_of_the_users_comes_last_and_goes_to_its_component_alone() -> None:
    plain = a_cluster(workers=1)
    flags = (("kubelet", "--v=4"), ("kube-proxy", "--proxy-mode=iptables"), ("kubelet", "--v=5"))
    cluster = a_cluster(workers=1, flags=flags)
    for index in (0, 1):
        before, after = of(plain, index), of(cluster, index)
        assert after["kubelet"].arguments == (*before["kubelet"].arguments, "--v=4", "--v=5")
        assert after["kube-proxy"].arguments[-1] == "--proxy-mode=iptables"
        assert after["kubelet"].files == before["kubelet"].files
        assert after["containerd"] == before["containerd"]


def test_only_a_cluster_with_an_audit_log_has_a_policy_for_it() -> None:
    plain, audited = of(a_cluster())["kube-apiserver"], of(a_cluster(audit=True))["kube-apiserver"]
    assert not any("audit" in argument for argument in plain.arguments)
    assert plain.files == {}
    assert set(audited.arguments) - set(plain.arguments) == {
        "--audit-policy-file=/var/lib/liqo/node/audit.yaml",
        "--audit-log-path=/var/lib/liqo/node/logs/audit.log",
    }
    policy = yaml.safe_load(audited.files["audit.yaml"])
    assert policy["rules"][-1] == {"level": "Metadata"}


@pytest.mark.parametrize(("asked", "expected"), [("", "8760h"), ("60s", "60s")])
def test_certificates_live_as_long_as_was_asked_for(asked: str, expected: str) -> None:
    manager = of(a_cluster(signing_duration=asked))["kube-controller-manager"]
    assert f"--cluster-signing-duration={expected}" in manager.arguments


def test_what_needs_no_api_server_may_start_before_it() -> None:
    every = of(a_cluster(simulated=Simulated(1))).values()
    assert [each.name for each in every if not each.needs_api_server] == [
        "etcd",
        "kube-apiserver",
        "containerd",
    ]


def test_two_nodes_share_neither_pods_addresses_nor_control_group() -> None:
    cluster = a_cluster(workers=1)
    configured = [
        yaml.safe_load(of(cluster, index)["kubelet"].files["kubelet.yaml"]) for index in (0, 1)
    ]
    assert [kubelet["cgroupRoot"] for kubelet in configured] == [
        "/lqp-on-paper/venice.0",
        "/lqp-on-paper/venice.1",
    ]
    networks = [
        json.loads(of(cluster, index)["kubelet"].files["cni/10-playground.conflist"])
        for index in (0, 1)
    ]
    assert [network["plugins"][0]["ipam"]["ranges"] for network in networks] == [
        [[{"subnet": "10.128.0.0/22"}]],
        [[{"subnet": "10.128.4.0/22"}]],
    ]


def test_a_node_takes_no_more_pods_than_it_has_addresses() -> None:
    cluster = a_cluster(pod_cidr="10.5.0.0/22")  # 16 addresses: two at the ends, one is the node's
    kubelet = yaml.safe_load(of(cluster)["kubelet"].files["kubelet.yaml"])
    assert kubelet["maxPods"] == 13


def test_the_configuration_of_containerd_can_be_read() -> None:
    found = tomllib.loads(of(a_cluster())["containerd"].files["containerd.toml"])
    assert found["grpc"]["address"] == "/run/containerd/containerd.sock"


def test_a_flag_for_nobody_is_refused() -> None:
    check_flags(a_cluster(flags=(("etcd", "--log-level=debug"),)))
    with pytest.raises(PlaygroundError, match='no component "kwok" for the flag --v=4'):
        check_flags(a_cluster(flags=(("kwok", "--v=4"),)))


def test_a_flag_finds_its_component_by_the_short_name_too() -> None:
    flagged = a_cluster(flags=(("scheduler", "--v=4"),))
    check_flags(flagged)
    assert "--v=4" in of(flagged)["kube-scheduler"].arguments
