"""What every cluster holds from its first minute."""

from typing import Any

import yaml

from liqo.playground.addons import manifests
from liqo.playground.layout import Cluster, Options, Simulated
from tests.golden import assert_golden
from tests.unit.playground.layouts import GOLDEN, a_cluster, a_layout


class Plain(yaml.SafeDumper):
    """Without anchors: what stands twice is written twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def of_kind(kind: str, cluster: Cluster) -> dict[str, Any]:
    found = [each for each in manifests(cluster) if each["kind"] == kind]
    return {each["metadata"]["name"]: each for each in found}


def test_a_cluster_holds_these_addons() -> None:
    cluster = a_cluster(workers=1, simulated=Simulated(1, resources=(("nvidia.com/gpu", "8"),)))
    text = yaml.dump_all(manifests(cluster), Dumper=Plain, sort_keys=False, width=100)
    assert_golden(text, GOLDEN / "addons.yaml")


def test_no_two_objects_are_the_same_one() -> None:
    every = [
        (each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"])
        for each in manifests(a_cluster(workers=2, simulated=Simulated(3)))
    ]
    assert len(set(every)) == len(every)


def test_every_account_that_a_pod_uses_exists() -> None:
    cluster = a_cluster()
    accounts = of_kind("ServiceAccount", cluster)
    pods = [each["spec"]["template"]["spec"] for each in of_kind("Deployment", cluster).values()]
    assert {pod["serviceAccountName"] for pod in pods} == set(accounts)


def test_every_role_that_is_bound_is_ours_or_kubernetes_own() -> None:
    cluster = a_cluster()
    bound = {each["roleRef"]["name"] for each in of_kind("ClusterRoleBinding", cluster).values()}
    ours = set(of_kind("ClusterRole", cluster))
    assert all(name in ours or name.startswith("system:") for name in bound)


def test_a_simulated_node_has_the_size_that_was_asked_for() -> None:
    gpus = Simulated(2, cpu="4", memory="8Gi", resources=(("nvidia.com/gpu", "2"),))
    nodes = of_kind("Node", a_cluster(simulated=gpus))
    assert list(nodes) == ["venice", "venice-kwok-0", "venice-kwok-1"]
    size = nodes["venice-kwok-1"]["status"]["allocatable"]
    assert size == {"cpu": "4", "memory": "8Gi", "pods": "1000", "nvidia.com/gpu": "2"}
    assert nodes["venice-kwok-1"]["metadata"]["labels"]["type"] == "kwok"


def test_a_cluster_with_a_long_name_has_simulated_nodes_too() -> None:
    name = 63 * "x"
    layout = a_layout(**{name: Options(simulated=Simulated(1000))})
    assert max(map(len, of_kind("Node", layout.cluster(name)))) <= 63


def test_a_cluster_may_be_called_by_a_number() -> None:
    [described] = [
        each
        for each in manifests(a_layout(**{"007": Options()}).cluster("007"))
        if each["metadata"]["name"] == "playground"
    ]
    assert described["data"]["clusterName"] == "007"
