"""Slices become nodes, as many as one asks for, and go without a trace."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from uuid import uuid4

import pytest

from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from liqo.rules import names
from tests.e2e.eventually import eventually
from tests.e2e.installation import of
from tests.e2e.kubelets import NODES, OPTIONS, only, put_node, put_options
from tests.e2e.liqoctl import liqoctl
from tests.e2e.loans import SLICES, Loan, done
from tests.e2e.offloaded import TENANT, a_pod, condition, read
from tests.e2e.workloads import DEVICE

SHADOWS = "shadowpods.offloading.liqo.io"
QUOTAS = "quotas.offloading.liqo.io"
HALF = """
from liqo.classes import serve
serve("CLASS", grant=lambda asked: {k: each.percent(50) for k, each in asked.resources.items()})
"""
LINUX = {"matchExpressions": [{"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}]}
SOMEWHERE = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [LINUX]}}
TOLERATION = {"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"}
PATCH: JSON = {
    "nodeSelector": {"kubernetes.io/os": "linux"},
    "tolerations": [TOLERATION],
    "affinity": {"nodeAffinity": SOMEWHERE},
    "labelsNotReflected": ["secret-of-rome"],
}
PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure")


@pytest.fixture
def loan(peered: dict[str, Site]) -> Loan:
    return Loan(peered["rome"], peered["milan"])


@pytest.fixture
def name() -> str:
    """Of a slice, a node or a class of the test's own."""
    return f"pool-{uuid4().hex[:6]}"


async def ask(loan: Loan, name: str, *words: str) -> None:
    whose = (name, "--remote-cluster-id", loan.lender)
    done(await liqoctl("create", "resourceslice", *whose, *words, of(loan.consumer)))


async def delete(loan: Loan, kind: str, name: str) -> None:
    await loan.consumer.kubectl("delete", "--ignore-not-found", kind, name, "-n", loan.here)


async def is_ready(loan: Loan, node: str) -> None:
    look = partial(condition, loan.consumer, f"node/{node}", "Ready")
    await eventually(look, is_="True")


async def offered(loan: Loan, node: str) -> JSON:
    found = await read(loan.consumer, f"node/{node}")
    assert found["status"]["capacity"] == found["status"]["allocatable"]
    return dict(found["status"]["capacity"])


async def granted(loan: Loan, name: str) -> JSON:
    quota = names.quota(name, loan.borrower)
    found = await read(loan.provider, f"{QUOTAS}/{quota}", "-n", loan.there)
    return dict(found["spec"]["resources"])


async def left(loan: Loan, name: str) -> list[str]:
    """Of a slice, its node and its quota."""
    words = ("--ignore-not-found", "-o", "name")
    quota = names.quota(name, loan.borrower)
    return [
        await loan.consumer.kubectl("get", SLICES, name, "-n", loan.here, *words),
        await loan.consumer.kubectl("get", NODES, name, "-n", loan.here, *words),
        await loan.consumer.kubectl("get", "node", name, *words),
        await loan.provider.kubectl("get", QUOTAS, quota, "-n", loan.there, *words),
    ]


@asynccontextmanager
async def a_class(provider: Site, name: str) -> AsyncIterator[None]:
    """A controller of the provider's own, which grants half of what is asked for."""
    program = (sys.executable, "-c", HALF.replace("CLASS", name))
    environment = {"KUBECONFIG": str(provider.kubeconfig)}
    process = await asyncio.create_subprocess_exec(*program, env=environment)
    try:
        yield
    finally:
        process.kill()
        await process.wait()


@pytest.mark.row("A11", "L07")
async def test_each_provider_has_a_node_and_a_kubelet_of_its_own(
    peered: dict[str, Site],
) -> None:
    rome = peered["rome"]
    turin = Loan(rome, peered["turin"])
    await turin.peer()
    try:
        await eventually(lambda: condition(rome, "node/turin", "Ready"), is_="True")
        peers = {"milan", "turin"}
        await eventually(lambda: counted(rome), is_=(peers, peers, sorted(peers)))
        first, second = [await only(rome, node) for node in sorted(peers)]
        assert first != second
    finally:
        await turin.unpeer("--delete-namespaces")


async def counted(rome: Site) -> tuple[set[str], set[str], list[str]]:
    """The peers, the virtual nodes, and whose kubelets there are; a node that goes is still one."""
    peers = (await rome.kubectl("get", "foreignclusters", "-o", "name")).split()
    nodes = ("get", "nodes", "-l", "liqo.io/type=virtual-node", "-o", "name")
    chosen = ("-A", "-l", "offloading.liqo.io/component=virtual-kubelet")
    found = (await read(rome, "deployments", *chosen))["items"]
    serving = [each["metadata"]["labels"]["liqo.io/remote-cluster-id"] for each in found]
    return (
        {peer.rpartition("/")[2] for peer in peers},
        {node.rpartition("/")[2] for node in (await rome.kubectl(*nodes)).split()},
        sorted(serving),
    )


@pytest.mark.row("A14")
async def test_the_conditions_of_a_node_are_those_of_its_provider_now(
    loan: Loan, name: str
) -> None:
    """A slice that offers no CPU any more; that nobody answers is a journey of its own."""
    rome = loan.consumer
    words = ("--remote-cluster-id=milan", "--resource-slice-name=milan", of(rome))
    done(await liqoctl("create", "virtualnode", *words, name))
    try:
        await is_ready(loan, name)
        found = (await read(rome, f"node/{name}"))["status"]["conditions"]
        seen = {each["type"]: (each["status"], each["reason"]) for each in found}
        assert seen == {
            "Ready": ("True", "KubeletReady"),
            "MemoryPressure": ("False", "RemoteClusterHasSufficientMemory"),
            "DiskPressure": ("False", "RemoteClusterHasNoDiskPressure"),
            "PIDPressure": ("False", "RemoteClusterHasNoPIDPressure"),
        }
        await offer(rome, name, cpu="0")
        for kind, status in (("Ready", "False"), *((each, "True") for each in PRESSURES)):
            await eventually(partial(condition, rome, f"node/{name}", kind), is_=status)
        await offer(rome, name, cpu="1")
        await is_ready(loan, name)
        for kind in PRESSURES:
            assert await condition(rome, f"node/{name}", kind) == "False"
    finally:
        await delete(loan, NODES, name)


@pytest.mark.row("A13")
async def test_a_resource_that_is_offered_no_more_disappears_from_the_node(
    loan: Loan, name: str
) -> None:
    """P-NODE3: from its capacity, and from what of it pods may have."""
    rome = loan.consumer
    await put_node(rome, name, {})
    try:
        await is_ready(loan, name)
        usual = await offered(loan, name)
        await offer(rome, name, **{DEVICE: "2"})
        await eventually(partial(offered, loan, name), is_={**usual, DEVICE: "2"})
        await offer(rome, name, **{DEVICE: None, "ephemeral-storage": None})
        fewer = {each: amount for each, amount in usual.items() if each != "ephemeral-storage"}
        assert fewer != usual
        await eventually(partial(offered, loan, name), is_=fewer)
    finally:
        await delete(loan, NODES, name)


async def offer(rome: Site, node: str, **hard: str | None) -> None:
    """None: no more of it at all."""
    patch = json.dumps({"spec": {"resourceQuota": {"hard": hard}}})
    await rome.kubectl("patch", NODES, node, "-n", TENANT, "--type=merge", "-p", patch)


@pytest.mark.row("C16")
async def test_what_a_class_of_the_providers_own_grants_is_what_the_node_has(
    loan: Loan, name: str
) -> None:
    try:
        async with a_class(loan.provider, name):
            sizes = ("--cpu=4", "--memory=8Gi", "--pods=20")
            await ask(loan, name, f"--class={name}", *sizes)
        await is_ready(loan, name)
        half = {"cpu": "2", "memory": "4Gi", "pods": "10"}
        assert await offered(loan, name) == await granted(loan, name) == half
        slice_ = await read(loan.consumer, f"{SLICES}/{name}", "-n", loan.here)
        assert slice_["status"]["resources"] == half
    finally:
        await delete(loan, SLICES, name)


@pytest.mark.row("C19", "D13", "D14")
async def test_more_slices_are_more_nodes_and_one_that_is_deleted_takes_all_of_its_own_along(
    loan: Loan, name: str
) -> None:
    try:
        await ask(loan, name, "--cpu=1", "--memory=1Gi")
        await is_ready(loan, name)
        await is_ready(loan, "milan")
        sizes = [(await offered(loan, node))["cpu"] for node in ("milan", name)]
        assert sizes == ["4", "1"]
        assert [(await granted(loan, node))["cpu"] for node in ("milan", name)] == ["4", "1"]
        words = ("--remote-cluster-id=milan", f"--resource-slice-name={name}", of(loan.consumer))
        done(await liqoctl("create", "virtualnode", *words, f"{name}-too"))
        await is_ready(loan, f"{name}-too")
        assert (await offered(loan, f"{name}-too"))["cpu"] == "1"
        await delete(loan, NODES, f"{name}-too")
        await delete(loan, SLICES, name)
        await eventually(partial(left, loan, name), is_=["", "", "", ""])
        assert all(await left(loan, "milan"))
    finally:
        await delete(loan, NODES, f"{name}-too")
        await delete(loan, SLICES, name)


@pytest.mark.row("D15")
async def test_a_virtual_node_that_is_deleted_takes_its_node_along_and_leaves_its_slice(
    loan: Loan, name: str
) -> None:
    rome = loan.consumer
    words = ("--remote-cluster-id=milan", "--resource-slice-name=milan", of(rome))
    done(await liqoctl("create", "virtualnode", *words, name))
    await is_ready(loan, name)
    await rome.kubectl("delete", "virtualnode", name, "-n", loan.here)
    slice_, _, node, quota = await left(loan, "milan")
    assert slice_ and node and quota  # noqa: PT018 - the names of what must still be there
    assert (await left(loan, name))[1:3] == ["", ""]
    leftovers = "deployments,serviceaccounts,roles,rolebindings,clusterrolebindings"
    marked = ("-A", "-l", f"liqo.io/virtual-node={name}", "-o", "name")
    await eventually(partial(rome.kubectl, "get", leftovers, *marked), is_="")


async def test_a_pod_that_is_refused_there_leaves_nothing_when_its_node_goes(
    loan: Loan, name: str, shop: str
) -> None:
    """Nothing shows at home that it went out; another node of that provider stays."""
    await ask(loan, name)
    try:
        await is_ready(loan, name)
        pod = json.loads(a_pod("web", shop))
        pod["spec"] |= {"nodeName": name, "volumes": [{"name": "v", "hostPath": {"path": "/"}}]}
        await loan.consumer.kubectl("create", "-f", "-", text=json.dumps(pod))
        shadows = ("get", SHADOWS, "-n", f"{shop}-rome", "-o", "name")
        await eventually(partial(loan.provider.kubectl, *shadows), bool)
    finally:
        await delete(loan, SLICES, name)
    await eventually(partial(left, loan, name), is_=["", "", "", ""], within=120)
    await eventually(partial(loan.provider.kubectl, *shadows), is_="")


@pytest.mark.row("D17", "L21")
async def test_a_virtual_node_is_made_to_measure(loan: Loan, name: str, shop: str) -> None:
    """By options of its own for its kubelet, and by a patch for whatever goes through it."""
    rome, milan = loan.consumer, loan.provider
    patch = {**PATCH, "runtimeClassName": name}
    runtime = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "handler": "runc"}
    await milan.kubectl("create", "-f", "-", text=json.dumps(named(name, runtime)))
    await put_options(rome, name, {"nodeExtraLabels": {"made": "to-measure"}})
    try:
        await put_node(rome, name, {"offloadingPatch": patch}, options=name)
        await is_ready(loan, name)
        node = await read(rome, f"node/{name}")
        assert node["metadata"]["labels"]["made"] == "to-measure"
        body = json.loads(a_pod("web", shop))
        body["metadata"]["labels"] = {"secret-of-rome": "yes", "app": "web"}
        body["spec"]["nodeSelector"] = {"kubernetes.io/hostname": name}
        await rome.kubectl("create", "-f", "-", text=json.dumps(body))
        await eventually(lambda: condition(rome, "pod/web", "Ready", "-n", shop), is_="True")
        there = await read(milan, "pod/web", "-n", f"{shop}-rome")
        for field in ("nodeSelector", "affinity", "runtimeClassName"):
            assert there["spec"][field] == patch[field]
        assert TOLERATION in there["spec"]["tolerations"]
        assert there["metadata"]["labels"]["app"] == "web"
        assert "secret-of-rome" not in there["metadata"]["labels"]
    finally:
        await delete(loan, NODES, name)
        await rome.kubectl("delete", OPTIONS, name, "-n", "liqo")
        await milan.kubectl("delete", "runtimeclass", name)


def named(name: str, body: JSON) -> JSON:
    return {**body, "metadata": {"name": name}}
