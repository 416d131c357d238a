"""A provider that does not answer: its node says so, in time, and Kubernetes does the rest."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from liqo.api import labels
from liqo.api.meta import JSON
from liqo.playground import faults, images
from liqo.playground.cluster import Site
from tests.e2e.crowds import LABELS
from tests.e2e.eventually import eventually
from tests.e2e.kubelets import (
    DEFAULT,
    NODES,
    OPTIONS,
    PORT,
    change,
    kubelets,
    metrics,
    put_node,
    rolled_out,
    taken_over,
)
from tests.e2e.loans import Loan
from tests.e2e.offloaded import TENANT, a_pod, condition, extended, read
from tests.e2e.workloads import a_budget
from tests.observer import Observer

FAILURES = 20  # in a row, one every two seconds: time to see the first, and to end it
# How long an answer may take is the usual: L10.
FLAGS = ["--node-ping-interval=1s", f"--node-ping-failures={FAILURES}"]
SOON = 60  # seconds, which is a fifth of what a provider that answers has for the end of its pods
FORSAKEN = 120  # seconds until what a node left there that is no more is ended by another
PEER = "foreignclusters.core.liqo.io/milan"
NOT_READY = "node.kubernetes.io/not-ready"  # by Kubernetes: for scheduling, and for eviction
NOT_ALLOWED = {"key": "virtual-node.liqo.io/not-allowed", "operator": "Exists"}
VIRTUAL = {"key": "liqo.io/type", "operator": "In", "values": ["virtual-node"]}


@pytest.fixture(scope="module")
async def loan(targets: tuple[Site, Site]) -> AsyncIterator[Loan]:
    """Rome borrows from Milan, and asks it every second whether it is there."""
    rome, milan = targets
    usual = (await read(rome, f"{OPTIONS}/{DEFAULT}", "-n", "liqo"))["spec"]
    usual = {"metricsEnabled": False, "metricsAddress": None, **usual}
    news = {
        "extraArgs": [*usual["extraArgs"], *FLAGS],
        "metricsEnabled": True,
        "metricsAddress": f":{PORT}",
    }
    await told(rome, news)
    try:
        yield Loan(rome, milan)
    finally:
        await told(rome, {name: usual[name] for name in news})


async def told(rome: Site, spec: JSON) -> None:
    """The kubelet runs with these options, and its node is ready."""
    path = "jsonpath={.spec.template.spec.containers[0].args}"
    arguments = partial(rome.kubectl, "get", "deployment/vk-milan", "-n", TENANT, "-o", path)
    before, earlier = await arguments(), await kubelets(rome)
    await change(rome, DEFAULT, spec)
    await eventually(arguments, lambda now: now != before)
    await rolled_out(rome)
    await taken_over(rome, earlier)
    await eventually(lambda: condition(rome, "node/milan", "Ready"), is_="True")


@asynccontextmanager
async def silent(provider: Site) -> AsyncIterator[None]:
    """Its API server is there, and does not answer."""
    target = faults.target(provider, "kube-apiserver")
    await faults.pause(target)
    try:
        yield
    finally:
        await faults.resume(target)


@dataclass(frozen=True)
class Shop:
    """With one pod in Milan that waits for it, however long it is silent."""

    name: str
    seen: Observer


@asynccontextmanager
async def observed(loan: Loan) -> AsyncIterator[Shop]:
    """What happens to its pods is judged in the end, once Milan answers again."""
    rome = loan.consumer
    # Kubernetes keeps pods away from a node for a moment after that is ready again.
    await eventually(lambda: taints(rome), is_=[NOT_ALLOWED["key"]])
    async with (
        extended(rome) as name,
        Observer(rome, loan.provider, {name: f"{name}-rome"}) as seen,
    ):
        await rome.kubectl("create", "-n", name, "-f", "-", text=json.dumps(a_patient_pod()))
        await seen.reach(Running=1)
        yield Shop(name, seen)
        await seen.settled()
        seen.check()


async def ready(rome: Site) -> dict[str, Any]:
    found = (await read(rome, "node/milan"))["status"]["conditions"]
    return next(each for each in found if each["type"] == "Ready")


async def failures(rome: Site) -> int:
    [count] = re.findall(r"^liqo_provider_failures\{.*\} (\d+)$", await metrics(rome), re.MULTILINE)
    return int(count)


@pytest.mark.row("A18", "H06")
async def test_what_a_provider_was_labelled_with_when_it_was_installed_is_on_its_node(
    loan: Loan,
) -> None:
    words = ("--selector=liqo.io/type=virtual-node", "--show-labels", "--no-headers")
    [line] = (await loan.consumer.kubectl("get", "node", *words)).splitlines()
    shown = line.split()[-1].split(",")
    assert {f"{name}={value}" for name, value in LABELS.items()} <= set(shown)


@pytest.mark.row("A15", "A16", "L10")
async def test_a_node_is_not_ready_after_as_many_failures_as_its_kubelet_is_told(
    loan: Loan,
) -> None:
    rome = loan.consumer
    async with observed(loan):
        await eventually(lambda: failures(rome), is_=0)
        before = await ready(rome)
        async with silent(loan.provider):
            await eventually(lambda: failures(rome), lambda count: 0 < count < FAILURES)
        await eventually(lambda: failures(rome), is_=0)
        after = await ready(rome)
        assert after["status"] == "True"
        assert after["lastTransitionTime"] == before["lastTransitionTime"]
        async with silent(loan.provider):
            lost = await is_lost(rome)
            assert f"milan did not answer {FAILURES} times in a row" in lost["message"]
            assert lost["message"].endswith("no answer within 1 s")
        await eventually(lambda: condition(rome, "node/milan", "Ready"), is_="True")


async def is_lost(rome: Site) -> dict[str, Any]:
    lost = await eventually(lambda: ready(rome), lambda now: now["status"] == "False", within=240)
    assert lost["reason"] == "RemoteClusterUnreachable"
    return lost


@pytest.mark.row("A17")
async def test_a_kubelet_that_starts_while_its_provider_is_silent_takes_nothing_back(
    loan: Loan,
) -> None:
    """Else pods that wait for their eviction would wait anew with each new kubelet."""
    rome = loan.consumer
    async with observed(loan):
        async with silent(loan.provider):
            lost = await is_lost(rome)
            marked = await eventually(lambda: taints(rome), lambda now: now.count(NOT_READY) == 2)
            before = await kubelets(rome)
            # The old one renews the lease of the Node until the new one is there.
            await rome.kubectl("rollout", "restart", "deployment/vk-milan", "-n", TENANT)
            await taken_over(rome, before)
            renewed = await renewal(rome)
            # The new one: it has asked, too, and not yet as often as would make Milan lost to it.
            await eventually(lambda: failures(rome), lambda count: count > 0)
            await eventually(lambda: renewal(rome), lambda now: now > renewed)
            now = await ready(rome)
            assert (now["status"], now["reason"]) == ("False", lost["reason"])
            assert now["lastTransitionTime"] == lost["lastTransitionTime"]
            assert await taints(rome) == marked
            await eventually(lambda: failures(rome), is_=FAILURES, within=240)
            assert (await ready(rome))["lastTransitionTime"] == lost["lastTransitionTime"]
        await eventually(lambda: condition(rome, "node/milan", "Ready"), is_="True")


async def renewal(rome: Site) -> str:
    """When a kubelet last said that it lives; of two, the later one is the greater."""
    found: str = (await read(rome, "lease/milan", "-n", "kube-node-lease"))["spec"]["renewTime"]
    return found


@pytest.mark.row("A17")
async def test_pods_of_a_lost_provider_are_evicted_by_their_tolerations_and_run_at_home(
    loan: Loan,
) -> None:
    rome, milan = loan.consumer, loan.provider
    async with observed(loan) as shop:
        chosen = ("get", "pods", "-o", "name", "-n")
        await rome.kubectl("create", "-n", shop.name, "-f", "-", text=json.dumps(a_deployment()))
        await eventually(lambda: nodes(rome, shop.name), is_=["milan"], within=120)
        await shop.seen.reach(Running=2)
        web = await read(rome, "pods", "-n", shop.name, "-l", "app=web")
        shop.seen.take(*(each["metadata"]["uid"] for each in web["items"]))
        async with silent(milan):
            await eventually(lambda: nodes(rome, shop.name), is_=["rome"], within=240)
        await eventually(
            lambda: milan.kubectl(*chosen, f"{shop.name}-rome"),
            lambda found: found.split() == ["pod/patient"],
        )
        left = await eventually(
            lambda: rome.kubectl(*chosen, shop.name, "-l", "app=web"),
            lambda found: len(found.split()) == 1,
        )
        assert left.startswith("pod/web-")


async def taints(rome: Site) -> list[str]:
    found = (await read(rome, "node/milan"))["spec"].get("taints", ())
    return [each["key"] for each in found]


async def nodes(rome: Site, namespace: str) -> list[str]:
    """On which the pods of the Deployment are that are ready and stay."""
    found = (await read(rome, "pods", "-n", namespace, "-l", "app=web"))["items"]
    return [
        each["spec"]["nodeName"]
        for each in found
        if "deletionTimestamp" not in each["metadata"]
        for said in each["status"].get("conditions", ())
        if (said["type"], said["status"]) == ("Ready", "True")
    ]


def a_patient_pod() -> JSON:
    """It is nobody's: what ends it must not end by itself."""
    made: JSON = json.loads(a_pod("patient", ""))
    del made["metadata"]["namespace"]
    forever = {"operator": "Exists", "effect": "NoExecute"}
    made["spec"]["tolerations"] += [
        {"key": f"node.kubernetes.io/{why}", **forever} for why in ("not-ready", "unreachable")
    ]
    return made


def a_deployment() -> dict[str, Any]:
    """It would rather run on a virtual node, and waits five seconds for one that is lost."""
    marks = {"app": "web"}
    patience = [
        {
            "key": f"node.kubernetes.io/{why}",
            "operator": "Exists",
            "effect": "NoExecute",
            "tolerationSeconds": 5,
        }
        for why in ("not-ready", "unreachable")
    ]
    wish = {"weight": 100, "preference": {"matchExpressions": [VIRTUAL]}}
    preferred = {"preferredDuringSchedulingIgnoredDuringExecution": [wish]}
    pod = {
        "containers": [{"name": "web", "image": images.DEMO}],
        "tolerations": [NOT_ALLOWED, *patience],
        "affinity": {"nodeAffinity": preferred},
        "terminationGracePeriodSeconds": 1,
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "selector": {"matchLabels": marks},
            "template": {"metadata": {"labels": marks}, "spec": pod},
        },
    }


@pytest.mark.row("L08")
async def test_a_kubelet_that_is_gone_is_told_apart_and_missed_after_40_seconds(
    loan: Loan,
) -> None:
    """By Kubernetes itself: nobody renews the Lease of its Node."""
    rome = loan.consumer
    lease = await read(rome, "lease/milan", "-n", "kube-node-lease")
    assert lease["spec"]["leaseDurationSeconds"] == 40
    assert lease["metadata"]["ownerReferences"][0]["kind"] == "Node"
    async with observed(loan):
        await change(rome, DEFAULT, {"replicas": 0})
        try:
            await eventually(lambda: kubelets(rome), is_={})
            gone = await eventually(
                lambda: ready(rome), lambda now: now["status"] == "Unknown", within=120
            )
            assert gone["reason"] == "NodeStatusUnknown"
            lease = await read(rome, "lease/milan", "-n", "kube-node-lease")
            missed, renewed = gone["lastTransitionTime"], lease["spec"]["renewTime"]
            assert moment(missed) - moment(renewed) > timedelta(seconds=39)  # it has whole seconds
        finally:
            await change(rome, DEFAULT, {"replicas": 1})
        await rolled_out(rome)
        await eventually(lambda: condition(rome, "node/milan", "Ready"), is_="True")


def moment(written: str) -> datetime:
    return datetime.fromisoformat(written)


async def test_a_virtual_node_of_a_provider_that_is_gone_for_good_goes_at_once_with_its_pods(
    loan: Loan,
) -> None:
    """Nobody is left to end them, and no budget holds them.

    It is a node of the test's own: the one of the slice stays for whoever comes next. Its kubelet
    ends what runs on, should the provider come back after all.
    """
    rome, milan, node = loan.consumer, loan.provider, f"pool-{uuid4().hex[:6]}"
    await put_node(rome, node, {})
    leaves = ("delete", NODES, node, "-n", TENANT, "--ignore-not-found", "--wait=false")
    try:
        await eventually(lambda: condition(rome, f"node/{node}", "Ready"), is_="True")
        async with guarded_on(rome, node) as shop:
            twins = (
                "get",
                "shadowpods.offloading.liqo.io,pods",
                "-n",
                f"{shop}-rome",
                "-o",
                "name",
            )
            async with gone_for_good(loan):
                await rome.kubectl(*leaves)
                pods = ("get", "pods", "-n", shop, "-o", "name")
                await eventually(partial(rome.kubectl, *pods), is_="", within=SOON)
                still = ("--ignore-not-found", "-o", "name")
                await eventually(partial(rome.kubectl, "get", "node", node, *still), is_="")
                where = (NODES, node, "-n", TENANT)
                await eventually(partial(rome.kubectl, "get", *where, *still), is_="")
                assert len((await milan.kubectl(*twins)).split()) == 4, "two, and their pods"
            await eventually(partial(milan.kubectl, *twins), is_="", within=FORSAKEN + SOON)
    finally:
        await rome.kubectl(*leaves)


@asynccontextmanager
async def guarded_on(rome: Site, node: str) -> AsyncIterator[str]:
    """A namespace with a pod that may be evicted, and one that may not; both run there."""
    names = ("free", "guarded")
    async with extended(rome) as shop:
        things = [*(bound_to(node, name, shop) for name in names), a_budget("guarded")]
        listed = {"apiVersion": "v1", "kind": "List", "items": things}
        await rome.kubectl("create", "-n", shop, "-f", "-", text=json.dumps(listed))
        try:
            for name in names:
                ready = partial(condition, rome, f"pod/{name}", "Ready", "-n", shop)
                await eventually(ready, is_="True")
            yield shop
        finally:
            await rome.kubectl("delete", "poddisruptionbudget", "--all", "-n", shop)


def bound_to(node: str, name: str, namespace: str) -> JSON:
    made: JSON = json.loads(a_pod(name, namespace))
    made["metadata"]["labels"] = {"app": name}
    made["spec"]["nodeSelector"] = {"kubernetes.io/hostname": node}
    return made


@asynccontextmanager
async def gone_for_good(loan: Loan) -> AsyncIterator[None]:
    """Cut off, and declared so by a person; both are taken back."""
    rome, mark = loan.consumer, labels.PERMANENTLY_UNREACHABLE
    answers = partial(condition, rome, PEER, "APIServerStatus")
    await loan.cut()
    try:
        await eventually(answers, lambda said: said not in ("", "Established"))
        await rome.kubectl("annotate", PEER, f"{mark}=true")
        yield
    finally:
        await loan.heal()
        await rome.kubectl("annotate", PEER, f"{mark}-")
    await eventually(answers, is_="Established")
    await eventually(lambda: condition(rome, "node/milan", "Ready"), is_="True")
