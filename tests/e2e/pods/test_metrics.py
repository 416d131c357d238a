"""What pods that run elsewhere use: kubectl top, autoscalers, and who is told.

Figures come through the metrics-server at home, which asks the virtual kubelet, which asks the
metric agent of the provider.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from liqo.api.aggregation import APIService
from liqo.api.kubernetes import Event, Namespace, Secret
from liqo.api.meta import JSON, Key
from liqo.api.metrics import REGISTRATION, SCRAPE
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Forbidden, NotFound
from liqo.kube.http import Request
from liqo.kube.kubeconfig import from_kubeconfig, from_secret
from liqo.kube.paths import Scope
from liqo.playground.cluster import Site
from tests.e2e.eventually import ENDING, eventually
from tests.e2e.kubectl import kubectl
from tests.e2e.offloaded import TENANT, condition, extended
from tests.e2e.visitor import certificate, get
from tests.e2e.workloads import controlled, pod, shell, spec

PATIENCE = 180.0  # seconds: metrics-server looks every ten, an autoscaler every fifteen
AGENT = "deployment/liqo-metric-agent"
# Busy for as long as nobody says otherwise; never more than a tenth of a core.
WORK = "echo at work; touch /tmp/busy; while :; do [ -e /tmp/busy ] || sleep 1; done"
# Not before it has begun.
REST = "until rm /tmp/busy; do sleep 1; done"
LITTLE: JSON = {"requests": {"cpu": "50m"}, "limits": {"cpu": "100m"}}
WORKER = shell(WORK, resources=LITTLE)


@pytest.fixture(scope="module")
async def shop(peered: dict[str, Site]) -> AsyncIterator[str]:
    """A namespace with one pod that works in Milan."""
    rome = peered["rome"]
    async with extended(rome) as namespace:
        wanted = msgspec.json.encode(pod("worker", spec(WORKER))).decode()
        await rome.kubectl("create", "-n", namespace, "-f", "-", text=wanted)
        ready = partial(condition, rome, "pod/worker", "Ready", "-n", namespace)
        await eventually(ready, is_="True")
        yield namespace
        await rome.kubectl("delete", "pods", "--all", "-n", namespace)


@asynccontextmanager
async def admin(site: Site) -> AsyncIterator[Cluster]:
    async with Cluster(from_kubeconfig(str(site.kubeconfig))) as cluster:
        yield cluster


@asynccontextmanager
async def rome_at_milan(peered: dict[str, Site]) -> AsyncIterator[Cluster]:
    """Milan, as Rome's kubelet sees it."""
    async with admin(peered["rome"]) as home:
        credential = await home.get(Secret, Key(TENANT, "kubeconfig-resourceslice-milan"))
    async with Cluster(from_secret(credential)) as cluster:
        yield cluster


async def figures(cluster: Cluster, path: str) -> Any:
    """Of metrics-server."""
    found = await cluster.request(Request("GET", f"/apis/metrics.k8s.io/v1beta1/{path}"))
    return msgspec.json.decode(found)


async def is_measured(cluster: Cluster, namespace: str) -> bool:
    for path in (f"namespaces/{namespace}/pods/worker", "nodes/milan"):
        await figures(cluster, path)
    return True


async def scraped(cluster: Cluster, consumer: str) -> str:
    path = f"{SCRAPE}{consumer}/metrics/resource"
    return (await cluster.request(Request("GET", path, accept="*/*"))).decode()


@pytest.mark.row("F06")
async def test_a_pod_elsewhere_is_looked_into_as_if_it_were_here(
    peered: dict[str, Site], shop: str
) -> None:
    rome, here = peered["rome"], ("-n", shop)
    await eventually(partial(rome.kubectl, "logs", "worker", *here), is_="at work\n")
    name = await kubectl(rome, "exec", "worker", *here, "--", "hostname")
    assert (name.code, name.stdout) == (0, "worker\n")
    async with admin(rome) as home:
        await eventually(lambda: is_measured(home, shop), within=PATIENCE)
    pod_name, container, cores, memory = await top(rome, "pod", "worker", *here, "--containers")
    assert (pod_name, container) == ("worker", "main")
    assert 0 < int(cores.removesuffix("m")) <= 200
    assert memory.endswith("Mi")
    shown = await top(rome, "node", "milan")
    assert shown[0] == "milan"
    assert "<unknown>" not in shown


async def top(rome: Site, *words: str) -> list[str]:
    """What it prints. A node that metrics-server missed once has no figures until the next look."""
    look = partial(rome.kubectl, "top", *words, "--no-headers")
    return (await eventually(look, bool, within=PATIENCE)).split()


async def test_an_autoscaler_follows_the_use_of_pods_elsewhere_up_and_down(
    peered: dict[str, Site], shop: str
) -> None:
    rome, name = peered["rome"], f"crowd-{uuid4().hex[:6]}"
    scaled = {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}
    use = {"type": "AverageValue", "averageValue": "20m"}
    autoscaler = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name},
        "spec": {
            "scaleTargetRef": scaled,
            "minReplicas": 1,
            "maxReplicas": 2,
            "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": use}}],
            "behavior": {"scaleDown": {"stabilizationWindowSeconds": 0}},
        },
    }
    listed = [controlled("Deployment", name, spec(WORKER), replicas=1), autoscaler]
    wanted = msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": listed}).decode()
    await rome.kubectl("create", "-n", shop, "-f", "-", text=wanted)
    chosen = ("pods", "-n", shop, "-l", f"app={name}", "-o", "name")

    async def pods() -> list[str]:
        return (await rome.kubectl("get", *chosen)).split()

    both = await eventually(pods, lambda found: len(found) == 2, within=PATIENCE)
    for each in both:
        await eventually(partial(condition, rome, each, "Ready", "-n", shop), is_="True")
        await rome.kubectl("exec", each, "-n", shop, "--", "sh", "-c", REST)
    await eventually(pods, lambda found: len(found) == 1, within=PATIENCE)
    await rome.kubectl("delete", "-n", shop, f"hpa/{name}", f"deployment/{name}")


async def test_a_consumer_is_told_of_its_own_pods_and_of_nobody_elses(
    peered: dict[str, Site], shop: str
) -> None:
    async with rome_at_milan(peered) as milan:
        ours = f'namespace="{shop}",pod="worker"'
        look = partial(scraped, milan, "rome")
        told = await eventually(look, lambda told: ours in told, within=PATIENCE)
        assert 'namespace="kube-system"' not in told
        with pytest.raises(Forbidden) as refusal:
            await scraped(milan, "turin")
    assert "is not of the cluster turin: its pods are not told" in str(refusal.value)


async def test_the_agent_believes_the_api_server_and_nobody_else(
    peered: dict[str, Site], tmp_path: Path
) -> None:
    """Whatever headers say: a certificate of the front proxy must vouch for them."""
    milan = peered["milan"]
    chosen = ("pod", "-n", "liqo", "-l", "app.kubernetes.io/name=metric-agent")
    host = await milan.kubectl("get", *chosen, "-o", "jsonpath={.items[0].status.podIP}")
    where, path = f"{host}:8443", f"{SCRAPE}rome/metrics/resource"
    claim = {"X_Remote_User": "somebody", "X_Remote_Group": "system:masters"}
    consumer = certificate(milan, tmp_path, "rome", "rome")
    other_name = certificate(milan, tmp_path, "other", front=True)
    right = certificate(milan, tmp_path, "front-proxy-client", front=True)
    assert (await get(milan, where, path, None, **claim))[0] == 401
    assert (await get(milan, where, path, consumer, **claim)) == (0, "")  # it ends in TLS
    assert (await get(milan, where, path, other_name, **claim))[0] == 401
    assert (await get(milan, where, path, right))[0] == 401  # of nobody
    assert (await get(milan, where, path, right, **claim))[0] == 200


async def test_an_agent_that_is_away_holds_up_no_namespace_and_is_said_to_be_missing(
    peered: dict[str, Site], shop: str
) -> None:
    rome, milan = peered["rome"], peered["milan"]
    async with admin(milan) as cluster, admin(rome) as home:
        await eventually(lambda: is_registered(cluster))
        try:
            await milan.kubectl("scale", AGENT, "-n", "liqo", "--replicas=0")
            await eventually(lambda: is_registered(cluster), is_=False)
            name = f"gone-{uuid4().hex[:6]}"
            await milan.kubectl("create", "namespace", name)
            await cluster.delete(Namespace.KIND, Key("", name))
            await eventually(lambda: is_gone(cluster, Namespace, name), within=ENDING)
            path = "/api/v1/nodes/milan/proxy/metrics/resource"
            why = '# No figures: the cluster "milan" serves no metrics.liqo.io'
            look = partial(rome.kubectl, "get", "--raw", path)
            await eventually(look, lambda told: told.startswith(why))
            await eventually(lambda: unmeasured(home, shop), within=PATIENCE)
            ended = await kubectl(rome, "top", "pod", "worker", "-n", shop)
            assert ended.code == 1
            assert "NotFound" in ended.stderr
            assert "internal" not in ended.stderr.lower()
            events = await eventually(lambda: said_of_the_node(home), bool, within=PATIENCE)
            assert "metricAgent.enabled" in events[0]
        finally:
            await milan.kubectl("scale", AGENT, "-n", "liqo", "--replicas=1")
        await eventually(lambda: is_registered(cluster))
        await eventually(lambda: is_measured(home, shop), within=PATIENCE)


async def is_registered(cluster: Cluster) -> bool:
    return not await is_gone(cluster, APIService, REGISTRATION)


async def is_gone(cluster: Cluster, kind: type[Namespace | APIService], name: str) -> bool:
    try:
        await cluster.get(kind, Key("", name))
    except NotFound:
        return True
    return False


async def unmeasured(cluster: Cluster, namespace: str) -> bool:
    try:
        await figures(cluster, f"namespaces/{namespace}/pods/worker")
    except NotFound:
        return True
    return False


async def said_of_the_node(cluster: Cluster) -> list[str]:
    about = "reason=NoFigures,involvedObject.kind=Node,involvedObject.name=milan"
    found = await cluster.list(Event, scope=Scope("default", fields=about), resource_version="")
    return [each.message for each in found.items]
