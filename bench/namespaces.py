"""Namespaces that are offloaded, one and hundreds; and what their pods wait for.

One at a time to three clusters; hundreds by a selector, in one call of liqoctl, to two of them.
What a pod waits for is the difference between a dry run in an offloaded namespace and one beside
it.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import Sequence
from itertools import pairwise

from bench import audit
from bench.audit import Asked
from bench.figure import Figure, at_least, within
from bench.installed import installed, liqoctl, ran
from liqo.api.kubernetes import Deployment, Namespace, Pod
from liqo.api.meta import JSON, Key, Kind
from liqo.api.offloading import NamespaceOffloading
from liqo.kube.cluster import Cluster
from liqo.kube.http import Request
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.kube.paths import Scope, collection, query
from liqo.kube.reading import encode
from liqo.kube.waiting import until, until_all
from liqo.playground import images
from liqo.playground.cluster import Site

PROVIDERS = ("milan", "turin", "genoa")
TWO = "liqo.io/remote-cluster-id in (milan,turin)"
CONTAINER: JSON = {"name": "web", "image": images.DEMO}
ROUNDS = 10
CROWDS = (0, 50, 100, 200)
PATIENCE = 1200.0  # seconds
AT_A_TIME = 8  # requests
REST = 2.0  # seconds without a request
SAMPLES = 200
SECONDS = 5.0  # of sustained creations
PROGRAMS = ("controllers", "webhook", "kubelet")
REQUESTS = 30.0  # of all programs of the consumer, for each namespace
GROWTH = 1.5  # what the last may take, of what the first took


async def measure() -> list[Figure]:
    async with installed("bench-namespaces", ["rome", *PROVIDERS]) as (rome, *others):
        for other in others:
            await liqoctl("peer", rome, other, "--networking-disabled")
        access = from_kubeconfig(str(rome.kubeconfig))
        async with Cluster(access, agent="bench") as home, asyncio.timeout(PATIENCE):
            one = [await offloaded(home, f"one-{number}") for number in range(ROUNDS)]
            rushes = [await rush(rome, home, number) for number in range(ROUNDS)]
            crowds = await growing(rome, home)
            restarts = await ended(home)
            pods = await creations(home)
    median, together = statistics.median(one), statistics.median(rushes)
    return [
        within("a namespace, until its twins are ready, p50", median, "s", 1.0),
        within("a pod applied with its namespace, until it runs, p50", together, "s", 3.0),
        within("a pod applied with its namespace, until it runs, slowest", max(rushes), "s", 3.0),
        *crowds,
        within("programs that were started again", restarts, "", 0),
        *pods,
    ]


async def rush(rome: Site, home: Cluster, number: int) -> float:
    """Everything with one `kubectl apply`; in every second round the policy comes last."""
    name = f"rush-{number}"
    marks = {"app": "web"}
    template = {"metadata": {"labels": marks}, "spec": {"containers": [CONTAINER]}}
    web = {"selector": {"matchLabels": marks}, "template": template}
    policy = {"podOffloadingStrategy": "Remote"}
    things = [
        whole(NamespaceOffloading.KIND, {"metadata": {"name": "offloading"}, "spec": policy}),
        whole(Deployment.KIND, {"metadata": {"name": "web"}, "spec": web}),
    ]
    for each in things:
        each["metadata"]["namespace"] = name
    items = [whole(Namespace.KIND, {"metadata": {"name": name}}), *things[:: (-1) ** number]]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    began = time.perf_counter()
    await rome.kubectl("apply", "-f", "-", text=text)
    await until_all(home, Pod, Scope(name), run_elsewhere)
    return time.perf_counter() - began


def run_elsewhere(found: Sequence[Pod]) -> bool:
    return [is_out(pod) for pod in found if pod.metadata.deletion_timestamp is None] == [True]


def is_out(pod: Pod) -> bool:
    return pod.status.get("phase") == "Running" and pod.spec.get("nodeName") in PROVIDERS


async def offloaded(home: Cluster, name: str) -> float:
    await create(home, name)
    kind = NamespaceOffloading.KIND
    wanted = whole(kind, {"metadata": {"name": "offloading", "namespace": name}, "spec": {}})
    began = time.perf_counter()
    await home.create(wanted, kind=kind, namespace=name)
    await until(home, NamespaceOffloading, Key(name, "offloading"), is_ready)
    return time.perf_counter() - began


async def create(home: Cluster, name: str, **marks: str) -> None:
    body = whole(Namespace.KIND, {"metadata": {"name": name, "labels": marks}})
    await home.create(body, kind=Namespace.KIND)


async def growing(rome: Site, home: Cluster) -> list[Figure]:
    """More and more of them; those that are there stay."""
    figures, each = list[Figure](), list[float]()
    for already, count in pairwise(CROWDS):
        seconds, more = await crowd(rome, home, already, count)
        each.append(seconds / (count - already))
        figures += [
            Figure(f"{count - already} more namespaces, until all are ready", seconds, "s"),
            *more,
        ]
    growth = within("one of the last, of one of the first", each[-1] / each[0], "times", GROWTH)
    return [*figures, growth]


async def crowd(rome: Site, home: Cluster, already: int, count: int) -> tuple[float, list[Figure]]:
    mark = f"crowd-{count}"
    for number in range(already, count):
        await create(home, f"crowd-{number}", crowd=mark)
    words = ("offload", "namespace", "--ns-selector", f"crowd={mark}", "--selector", TWO)
    run = await ran(rome, *words, "--timeout", "5m")
    ours = await at_rest(rome)
    new = sum(each.at >= run.began for each in ours)
    requests, watches = new / (count - already), sum(each.is_open for each in ours)
    return run.seconds, [
        within(f"requests for each, up to {count} namespaces", requests, "", REQUESTS),
        Figure(f"watches at home with {count} namespaces", watches, "open"),
    ]


async def at_rest(rome: Site) -> list[Asked]:
    """What our programs asked for, once they ask for no more: they open few watches at a time."""
    before, asked = -1, list[Asked]()
    while len(asked) != before:
        before = len(asked)
        await asyncio.sleep(REST)
        asked = [
            each for each in audit.asked(rome) if each.who in PROGRAMS and not each.is_heartbeat
        ]
    return asked


async def ended(home: Cluster) -> int:
    """Of our programs at home: how often one had to be started again."""
    found = (await home.list(Pod)).items
    ours = (each for each in found if each.metadata.namespace.startswith("liqo"))
    return sum(
        each["restartCount"] for pod in ours for each in pod.status.get("containerStatuses", ())
    )


async def creations(home: Cluster) -> list[Figure]:
    plain, ours = "beside", "one-0"
    await create(home, plain)
    took: dict[str, list[float]] = {plain: [], ours: []}
    for _ in range(SAMPLES):  # by turns: what disturbs one disturbs the other
        for namespace, times in took.items():
            began = time.perf_counter()
            await dry_run(home, namespace)
            times.append(time.perf_counter() - began)
    added = statistics.median(took[ours]) - statistics.median(took[plain])
    return [
        within("a pod waits for the webhook, p50", added * 1000, "ms", 5.0),
        at_least("pods that are completed", await sustained(home, ours), "per s", 200.0),
    ]


async def sustained(home: Cluster, namespace: str) -> float:
    done, over = 0, time.perf_counter() + SECONDS

    async def work() -> None:
        nonlocal done
        while time.perf_counter() < over:
            await dry_run(home, namespace)
            done += 1

    async with asyncio.TaskGroup() as tasks:
        for _ in range(AT_A_TIME * 2):
            tasks.create_task(work())
    return done / SECONDS


async def dry_run(home: Cluster, namespace: str) -> None:
    pod = {"metadata": {"generateName": "web-"}, "spec": {"containers": [CONTAINER]}}
    path = query(collection(Pod.KIND, namespace), dryRun="All")
    await home.request(Request("POST", path, encode(whole(Pod.KIND, pod))))


def is_ready(wanted: NamespaceOffloading) -> bool:
    return wanted.status.offloading_phase == "Ready"


def whole(kind: Kind, body: JSON) -> JSON:
    return {"apiVersion": kind.api_version, "kind": kind.name, **body}
