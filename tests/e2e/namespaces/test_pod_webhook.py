"""Pods of offloaded namespaces are completed as they are created; all other pods are left alone."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Namespace, Node
from liqo.api.meta import JSON, Key, Kind
from liqo.kube.errors import ServerFault
from liqo.playground.cluster import Site
from liqo.rules import quantity
from tests.e2e.eventually import eventually
from tests.e2e.offloaded import an_account, an_offloading
from tests.e2e.provinces import SOUTH, Province, Town, a_pod
from tests.e2e.workloads import SERVE, controlled

TOLERATION = {
    "key": "virtual-node.liqo.io/not-allowed",
    "operator": "Exists",
    "effect": "NoExecute",
}
IS_VIRTUAL = {"key": labels.TYPE, "operator": "In", "values": ["virtual-node"]}
IS_PHYSICAL = {"key": labels.TYPE, "operator": "NotIn", "values": ["virtual-node"]}
[IN_THE_SOUTH] = SOUTH["nodeSelectorTerms"][0]["matchExpressions"]
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
WEBHOOK = ("deployment/liqo-webhook", "--namespace=liqo")
PLAIN: JSON = {"containers": [SERVE]}
ANYWHERE: JSON = {"nodeSelectorTerms": []}
DAEMON_SET = Kind("apps", "v1", "DaemonSet", "daemonsets")
REPEATED, SOAKED = 5, 100  # times


def asking(*expressions: JSON) -> JSON:
    term = {"matchExpressions": [*expressions]}
    return {**PLAIN, "affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term]}}}}


def terms_of(spec: JSON) -> list[Any]:
    affinity = spec.get("affinity", {}).get("nodeAffinity", {}).get(REQUIRED, {})
    return [each["matchExpressions"] for each in affinity.get("nodeSelectorTerms", [])]


@pytest.mark.row("L14")
@pytest.mark.row("E13")
@pytest.mark.part_of_row("E04")
async def test_every_strategy_completes_pods_in_its_way(province: Province) -> None:
    own = {"key": "a", "operator": "Exists"}
    async with province.namespace() as town:
        await town.offload(podOffloadingStrategy="Remote")
        spec = await town.dry_run(PLAIN)
        assert TOLERATION in spec["tolerations"]
        assert terms_of(spec) == [[IS_VIRTUAL]]
        assert terms_of(await town.dry_run(asking(own))) == [[own, IS_VIRTUAL]]
        again = await town.dry_run({**PLAIN, "affinity": spec["affinity"]})
        assert terms_of(again) == [[IS_VIRTUAL]]

        async def completed(pod: JSON) -> list[Any]:
            return terms_of(await town.dry_run(pod))

        await town.change(clusterSelector=SOUTH)
        await eventually(lambda: completed(PLAIN), is_=[[IN_THE_SOUTH, IS_VIRTUAL]])
        await town.change(podOffloadingStrategy="LocalAndRemote")
        await eventually(lambda: completed(PLAIN), is_=[[IN_THE_SOUTH], [IS_PHYSICAL]])
        assert await completed(asking(own)) == [[own, IN_THE_SOUTH], [own, IS_PHYSICAL]]
        classed = await town.dry_run({**PLAIN, "runtimeClassName": "liqo"})
        assert classed["tolerations"].count(TOLERATION) == 1
        assert classed["nodeSelector"] == {"liqo.io/type": "virtual-node"}
        await town.change(clusterSelector={"nodeSelectorTerms": []})
        await eventually(lambda: completed(PLAIN), is_=[])
        assert TOLERATION in (await town.dry_run(PLAIN))["tolerations"]
        await town.change(podOffloadingStrategy="Local")

        async def is_tolerant() -> bool:
            return TOLERATION in (await town.dry_run(PLAIN))["tolerations"]

        await eventually(is_tolerant, is_=False)
        taints = json.loads(await province.sites["rome"].kubectl("get", "node/milan", "-o", "json"))
        virtual = {"key": TOLERATION["key"], "value": "true", "effect": "NoExecute"}
        assert virtual in taints["spec"]["taints"]


@pytest.mark.row("A04", "A19", "E04")
async def test_pods_run_where_their_namespace_and_they_themselves_want(
    province: Province,
) -> None:
    async with province.namespace() as town:
        await town.offload(podOffloadingStrategy="Remote", clusterSelector=SOUTH)
        await town.create("remote", PLAIN)
        await eventually(partial(placed, town, "remote"), is_=("Running", "turin"))
        assert (await town.pod("remote")).spec.get("schedulerName") == "default-scheduler"
        await town.change(podOffloadingStrategy="LocalAndRemote", clusterSelector=ANYWHERE)

        async def is_free() -> bool:
            return not terms_of(await town.dry_run(PLAIN))

        await eventually(is_free)
        await town.create("south", asking(IN_THE_SOUTH))
        await town.create("home", asking(IS_PHYSICAL))
        await eventually(partial(placed, town, "south"), is_=("Running", "turin"))
        await eventually(partial(placed, town, "home"), is_=("Running", "rome"))
        await town.change(podOffloadingStrategy="Local")

        async def is_closed() -> bool:
            return labels.SCHEDULING_ENABLED not in await town.marks()

        await eventually(is_closed)
        await town.create("local", PLAIN)
        await eventually(partial(placed, town, "local"), is_=("Running", "rome"))


async def test_a_daemon_runs_on_every_node_that_is_its_own(province: Province) -> None:
    """Which node each of its pods is for, its controller says with matchFields."""
    async with province.namespace() as town:
        await town.offload(clusterSelector=SOUTH)
        quick = {**PLAIN, "terminationGracePeriodSeconds": 0}
        daemon = controlled("DaemonSet", "daemon", quick)
        await town.rome.create(daemon, kind=DAEMON_SET, namespace=town.name)
        await eventually(partial(where_they_run, town), is_=["rome"])
        [pod] = await town.pods()
        affinity = pod.spec["affinity"]["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]
        assert [each["matchFields"][0]["values"] for each in affinity] == [["rome"]] * 2
        await town.rome.delete(DAEMON_SET, Key(town.name, "daemon"))


async def test_pods_go_out_as_soon_as_they_may(province: Province) -> None:
    """Created right after the strategy was changed, with no look at anything in between."""
    for _ in range(REPEATED):
        async with province.namespace() as town:
            await town.offload(podOffloadingStrategy="Local", clusterSelector=SOUTH)
            assert labels.SCHEDULING_ENABLED not in await town.marks()
            await town.change(podOffloadingStrategy="Remote")
            await town.create("web", PLAIN)
            await eventually(partial(placed, town, "web"), is_=("Running", "turin"))
            await eventually(town.phase, is_="Ready")
            assert (await town.marks())[labels.SCHEDULING_ENABLED] == "true"


@pytest.mark.row("A05")
async def test_a_pod_that_finds_no_room_at_home_goes_out(province: Province) -> None:
    node = await province.rome.get(Node, Key("", "rome"))
    room = quantity.parse(node.status["allocatable"]["cpu"]).nano / 1e9
    much = {"resources": {"requests": {"cpu": str(round(room * 0.6, 2))}}}
    pod: JSON = {"containers": [{**SERVE, **much}]}
    async with province.namespace() as town:
        await town.offload(podOffloadingStrategy="LocalAndRemote")
        await town.create("filler", {**pod, "nodeSelector": {"kubernetes.io/hostname": "rome"}})
        await eventually(partial(placed, town, "filler"), is_=("Running", "rome"))
        await town.create("next", pod)
        _, where = await eventually(
            partial(placed, town, "next"), lambda seen: seen[0] == "Running"
        )
        assert where in ("milan", "turin")


async def placed(town: Town, name: str) -> tuple[str, str]:
    pod = await town.pod(name)
    return pod.status.get("phase", ""), pod.spec.get("nodeName", "")


@pytest.mark.row("A23")
async def test_a_label_completes_pods_too_and_other_namespaces_see_no_call(
    province: Province,
) -> None:
    rome = province.sites["rome"]
    async with province.namespace() as town, province.namespace() as stranger:
        before = await calls(rome)
        assert TOLERATION not in (await stranger.dry_run(PLAIN))["tolerations"]
        assert TOLERATION not in (await town.dry_run(PLAIN))["tolerations"]
        assert await calls(rome) == before
        enabled = {"metadata": {"labels": {labels.ENABLED: "true"}}}
        await province.rome.patch(Namespace.KIND, Key("", town.name), enabled, how="merge")

        async def is_tolerant() -> bool:
            return TOLERATION in (await town.dry_run(PLAIN))["tolerations"]

        await eventually(is_tolerant)
        since = await calls(rome)
        assert since > before
        assert TOLERATION not in (await stranger.dry_run(PLAIN))["tolerations"]
        assert await calls(rome) == since


async def calls(rome: Site) -> int:
    """How often the API server has asked about pods on their way out."""
    found = await rome.kubectl("get", "--raw", "/metrics")
    line = (
        r'^apiserver_admission_webhook_request_total\{.*name="(?:enabled\.)?pod\.mutate.*\} (\d+)'
    )
    return sum(int(count) for count in re.findall(line, found, re.MULTILINE))


@pytest.mark.parametrize("order", ["offloading first", "pod first", "label first", "owner first"])
async def test_there_is_no_window(
    province: Province, order: str, request: pytest.FixtureRequest
) -> None:
    """In whichever order one apply creates them, the pod runs in Turin."""
    times = SOAKED if request.config.getoption("--soak", default=False) else REPEATED
    rome = province.sites["rome"]
    for _ in range(times):
        town = Town(province, f"rush-{uuid4().hex[:6]}")
        items = in_order(order, town.name)
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
        try:
            await rome.kubectl("apply", "--server-side", "-f", "-", text=text)
            await eventually(partial(where_they_run, town), is_=["turin"])
        finally:
            await town.empty()
            await rome.kubectl("delete", "namespace", town.name, "--wait=false")


def in_order(order: str, name: str) -> list[JSON]:
    """What one applies. A pod that nobody owns must wait, where it comes first: so it chooses.

    With the account that pods need, which Kubernetes makes only a moment after a namespace.
    """
    namespace: JSON = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    policy: JSON = {"podOffloadingStrategy": "Remote", "clusterSelector": SOUTH}
    choosy = asking(IN_THE_SOUTH, IS_VIRTUAL)
    quick = {**PLAIN, "terminationGracePeriodSeconds": 0}
    owner = controlled("Deployment", "web", quick)
    match order:
        case "offloading first":
            items = [namespace, an_offloading(name, **policy), a_pod("web", PLAIN)]
        case "pod first":
            items = [namespace, a_pod("web", choosy), an_offloading(name, **policy)]
        case "label first":
            namespace["metadata"]["labels"] = {labels.ENABLED: "true"}
            items = [namespace, a_pod("web", choosy)]
        case _:
            items = [namespace, owner, an_offloading(name, **policy)]
    for each in items[1:]:
        each["metadata"]["namespace"] = name
    return [items[0], an_account(name), *items[1:]]


async def where_they_run(town: Town) -> list[str]:
    return [
        pod.spec["nodeName"]
        for pod in await town.pods()
        if pod.metadata.deletion_timestamp is None and pod.status.get("phase") == "Running"
    ]


async def test_a_restart_of_the_webhook_fails_no_pod(province: Province) -> None:
    rome = province.sites["rome"]
    async with province.namespace() as town, replicas(rome, 2):
        await town.offload()
        over = asyncio.Event()

        async def keep_creating() -> int:
            count = 0
            while not over.is_set():
                assert TOLERATION in (await town.dry_run(PLAIN))["tolerations"]
                count += 1
            return count

        async with asyncio.TaskGroup() as tasks:
            creating = tasks.create_task(keep_creating())
            try:
                await rome.kubectl("rollout", "restart", *WEBHOOK)
                await rome.kubectl("rollout", "status", *WEBHOOK, "--timeout=120s")
            finally:
                over.set()
        assert creating.result() > 10


async def test_without_a_webhook_only_offloaded_namespaces_are_affected(
    province: Province,
) -> None:
    rome = province.sites["rome"]
    async with province.namespace() as town, province.namespace() as stranger:
        await town.offload()
        async with replicas(rome, 0):

            async def is_refused() -> bool:
                try:
                    await town.dry_run(PLAIN)
                except ServerFault as fault:
                    return "pod.mutate.liqo.io" in str(fault)
                return False

            await eventually(is_refused)
            assert await stranger.dry_run(PLAIN)
            [told] = await eventually(lambda: town.told("WebhookUnavailable"), bool)
            assert "no pod can be created in this namespace" in told
        await eventually(is_refused, is_=False)


@asynccontextmanager
async def replicas(rome: Site, count: int) -> AsyncIterator[None]:
    """So many webhooks, for a while; a playground has one."""
    try:
        await rome.kubectl("scale", *WEBHOOK, f"--replicas={count}")
        await rome.kubectl("rollout", "status", *WEBHOOK, "--timeout=120s")
        yield
    finally:
        await rome.kubectl("scale", *WEBHOOK, "--replicas=1")
        await rome.kubectl("rollout", "status", *WEBHOOK, "--timeout=120s")
