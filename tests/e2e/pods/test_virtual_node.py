"""A loan becomes a node, and a pod on it runs on the provider as if it were at home."""

from __future__ import annotations

from datetime import datetime

import msgspec
import pytest

from liqo.api.kubernetes import ConfigMap, Node
from liqo.api.meta import JSON, Key
from liqo.kube.cluster import Cluster
from liqo.kube.http import Request
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.kube.paths import collection, query
from liqo.kube.reading import encode
from liqo.playground.cluster import Site
from tests.e2e.eventually import eventually
from tests.e2e.kubelets import all_kubelets, without_kubelet
from tests.e2e.offloaded import a_pod, condition, read

BACK = 5.0  # seconds until a node that was deleted is there again


@pytest.mark.row("A13", "A20", "A22", "C15")
async def test_the_node_is_the_slice_with_the_labels_and_the_taint_of_the_wire(
    peered: dict[str, Site],
) -> None:
    node = await read(peered["rome"], "node/milan")
    offered = {"cpu": "4", "memory": "8Gi", "pods": "110", "ephemeral-storage": "20Gi"}
    assert node["status"]["capacity"] == node["status"]["allocatable"] == offered
    marks = node["metadata"]["labels"]
    assert (marks["liqo.io/type"], marks["liqo.io/remote-cluster-id"]) == ("virtual-node", "milan")
    effects = {taint["key"]: taint["effect"] for taint in node["spec"]["taints"]}
    assert effects["virtual-node.liqo.io/not-allowed"] == "NoExecute"


@pytest.mark.row("K04", "A21")
async def test_the_table_of_nodes_is_the_seeds(peered: dict[str, Site]) -> None:
    heading, line = (await peered["rome"].kubectl("get", "node", "milan")).splitlines()
    assert heading.split() == ["NAME", "STATUS", "ROLES", "AGE", "VERSION"]
    name, status, roles, _, version = line.split()
    assert (name, status, roles) == ("milan", "Ready", "agent")
    assert version.startswith("v1.")


@pytest.mark.row("A08")
async def test_a_node_that_somebody_deletes_comes_back(peered: dict[str, Site]) -> None:
    """By the clock of the API server; a machine that is busy elsewhere has some tries."""
    rome = peered["rome"]
    before = await read(rome, "node/milan")
    for _ in range(5):
        if (took := await seconds_until_it_is_back(rome)) <= BACK:
            break
    assert took <= BACK
    after = await read(rome, "node/milan")
    assert after["status"]["capacity"] == before["status"]["capacity"]

    async def labels() -> JSON:
        found: JSON = (await read(rome, "node/milan"))["metadata"]["labels"]
        return found

    # Kubernetes adds two of its own, a moment after ours.
    await eventually(labels, is_=before["metadata"]["labels"])


async def seconds_until_it_is_back(rome: Site) -> float:
    """From before it is deleted until there is another one, which becomes ready."""
    before = (await read(rome, "node/milan"))["metadata"]["uid"]
    async with Cluster(from_kubeconfig(str(rome.kubeconfig))) as admin:
        began = await clock(admin)
        await admin.delete(Node.KIND, Key("", "milan"))
    await eventually(lambda: condition(rome, "node/milan", "Ready"), is_="True")
    after = (await read(rome, "node/milan"))["metadata"]
    assert after["uid"] != before
    return (datetime.fromisoformat(after["creationTimestamp"]) - began).total_seconds()


async def clock(cluster: Cluster) -> datetime:
    """Of the API server: when it would make what it is asked for now."""
    body = {"apiVersion": "v1", "kind": ConfigMap.KIND.name, "metadata": {"name": "now"}}
    path = query(collection(ConfigMap.KIND, "default"), dryRun="All")
    answer = await cluster.request(Request("POST", path, encode(body)))
    return datetime.fromisoformat(msgspec.json.decode(answer)["metadata"]["creationTimestamp"])


async def test_the_node_has_the_architecture_of_those_behind_it(peered: dict[str, Site]) -> None:
    ours, theirs = [await read(peered[city], "node/milan") for city in ("rome", "milan")]
    shown, real = ours["status"]["nodeInfo"], theirs["status"]["nodeInfo"]
    for part in ("architecture", "operatingSystem"):
        assert shown[part] == real[part]
    for label in ("kubernetes.io/arch", "kubernetes.io/os"):
        assert ours["metadata"]["labels"][label] == theirs["metadata"]["labels"][label]


async def started(rome: Site, shop: str) -> None:
    """A pod `web`, which is ready."""
    await rome.kubectl("apply", "-f", "-", text=a_pod("web", shop))
    await eventually(lambda: condition(rome, "pod/web", "Ready", "-n", shop), is_="True")


@pytest.mark.row("A09", "A25", "A26", "F01")
async def test_a_pod_runs_on_the_provider_and_ends_with_the_one_at_home(
    peered: dict[str, Site], shop: str
) -> None:
    rome, milan = peered["rome"], peered["milan"]
    there = ("-n", f"{shop}-rome")
    await started(rome, shop)
    ours, theirs = await read(rome, "pod/web", "-n", shop), await read(milan, "pod/web", *there)
    assert ours["spec"]["nodeName"] == "milan"
    physical = await milan.kubectl("get", "nodes", "-l", "liqo.io/type!=virtual-node", "-o", "name")
    assert f"node/{theirs['spec']['nodeName']}" in physical.split()
    assert ours["status"]["phase"] == theirs["status"]["phase"] == "Running"
    assert ours["status"]["podIP"] == theirs["status"]["podIP"]
    await read(milan, "shadowpods.offloading.liqo.io/web", *there)
    await rome.kubectl("delete", "pod", "web", "-n", shop)
    left = await milan.kubectl("get", "pods,shadowpods", *there, "-o", "name")
    assert left == ""


@pytest.mark.row("F03", "F04")
async def test_a_remote_pod_that_is_lost_is_made_again_without_the_consumer(
    peered: dict[str, Site], shop: str
) -> None:
    rome, milan = peered["rome"], peered["milan"]
    there = ("-n", f"{shop}-rome")
    await started(rome, shop)
    before = (await read(milan, "pod/web", *there))["metadata"]["uid"]
    async with without_kubelet(rome):
        await milan.kubectl("delete", "pod", "web", *there)
        await eventually(lambda: condition(milan, "pod/web", "Ready", *there), is_="True")
        assert (await read(milan, "pod/web", *there))["metadata"]["uid"] != before
        assert await all_kubelets(rome) == []
    await rome.kubectl("delete", "pod", "web", "-n", shop, "--wait=false")
