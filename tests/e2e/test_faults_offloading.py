"""Whatever breaks between a pod and its twin: nothing is lost, nothing is done twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import TypeAlias

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes

from liqo.api.kubernetes import Node, Pod, Secret
from liqo.api.meta import Key
from liqo.api.offloading import ShadowPod
from liqo.kube.kubeconfig import from_secret
from liqo.kube.paths import Scope
from liqo.playground import faults, links
from liqo.playground.cluster import Site
from liqo.rules import names
from tests.e2e.crowds import REAL, Crowd
from tests.e2e.eventually import eventually
from tests.e2e.kubectl import kubectl, talking
from tests.e2e.loans import at_once
from tests.e2e.offloaded import TENANT, condition
from tests.e2e.talkers import ELSEWHERE, a_talker
from tests.observer import Observer

Fault: TypeAlias = Callable[[Site], AbstractAsyncContextManager[None]]

FEW = 20
MANY, SOAK_MANY = 200, 500
PER_SECOND = 4  # pods that a crowded machine manages
AMID = tuple(f"amid-{number}" for number in range(5))  # real pods, among many simulated ones
PATIENCE = 120  # seconds: a request that was sent is given up after 75, one that was not after 10


@pytest.fixture
def many(request: pytest.FixtureRequest) -> int:
    return SOAK_MANY if request.config.getoption("--soak", default=False) else MANY


@asynccontextmanager
async def without_link(crowd: Crowd) -> AsyncIterator[None]:
    await links.cut(crowd.rome.layout, "rome", "milan")
    try:
        yield
    finally:
        await links.heal(crowd.rome.layout, "rome", "milan")


@asynccontextmanager
async def without_api_server(site: Site) -> AsyncIterator[None]:
    api_server = faults.target(site, "kube-apiserver")
    await faults.kill(api_server)
    try:
        yield
    finally:
        await faults.start(api_server)


@asynccontextmanager
async def with_a_frozen_api_server(site: Site) -> AsyncIterator[None]:
    """It holds its connections, and does not answer."""
    api_server = faults.target(site, "kube-apiserver")
    await faults.pause(api_server)
    try:
        yield
    finally:
        await faults.resume(api_server)


def with_a_frozen_provider(crowd: Crowd) -> AbstractAsyncContextManager[None]:
    return with_a_frozen_api_server(crowd.milan)


@asynccontextmanager
async def without_node(site: Site, name: str) -> AsyncIterator[None]:
    node = faults.target(site, "node", name)
    await faults.kill(node)
    try:
        yield
    finally:
        await faults.start(node)


def time_for(pods: int) -> float:
    """Seconds, beside those that anything may take."""
    return 120 + pods / PER_SECOND


@asynccontextmanager
async def peopled(crowd: Crowd, simulated: int = FEW) -> AsyncIterator[Observer]:
    """With pods of all sorts: simulated ones, some that run, one that has finished.

    What happens to them is judged in the end.
    """
    async with crowd.observed() as seen:
        await crowd.start_real()
        await crowd.start(simulated)
        within = time_for(simulated)
        await seen.reach(within=within, Running=simulated + REAL, Succeeded=1)
        yield seen
        await seen.settled()
        seen.check()


async def test_P_RACE4_a_link_that_is_cut_and_healed_costs_no_pod(crowd: Crowd) -> None:
    async with peopled(crowd) as seen:
        async with without_link(crowd):
            await crowd.start(1, "unheard")
            await eventually(partial(bound_to, crowd, "unheard-0"), is_="milan")
            await crowd.force_anew("simulated-0", seen)
            await crowd.remove(seen, "simulated-1", "simulated-2")
            await eventually(crowd.node_is_lost)
            await crowd.remove(seen, "unheard-0")
            await crowd.start(FEW, "late")
            assert await bound_to(crowd, "unheard-0"), "who knows whether it is there?"
        await seen.reach(Running=2 * FEW + REAL - 2, Succeeded=1)


async def bound_to(crowd: Crowd, name: str) -> str:
    node: str = (await crowd.here.get(Pod, Key(crowd.namespace, name))).spec.get("nodeName", "")
    return node


@pytest.fixture
async def talker(crowd: Crowd) -> str:
    """A pod that one can talk to."""
    where = ("-n", crowd.namespace)
    await crowd.rome.kubectl("apply", *where, "-f", "-", text=a_talker("talker", ELSEWHERE))
    await eventually(partial(condition, crowd.rome, "pod/talker", "Ready", *where), is_="True")
    return "talker"


@pytest.mark.parametrize("fault", [without_link, with_a_frozen_provider])
async def test_kubectl_names_the_cluster_that_cannot_be_reached(
    crowd: Crowd, talker: str, fault: Callable[[Crowd], AbstractAsyncContextManager[None]]
) -> None:
    verbs = ("logs POD", "exec POD -- true", "attach POD", "port-forward POD :8080")
    commands = [(f"-n={crowd.namespace}", *v.replace("POD", talker).split()) for v in verbs]
    async with fault(crowd), asyncio.timeout(PATIENCE):
        for ended in await at_once(*(kubectl(crowd.rome, *words) for words in commands)):
            assert ended.code == 1
            assert "The API server of milan, https://" in ended.stderr


async def test_a_stream_to_a_cluster_that_is_cut_off_ends(crowd: Crowd, talker: str) -> None:
    """Also while words for it are under way; API servers always have some."""
    words = ("exec", "-i", "-n", crowd.namespace, talker, "--", "cat")
    async with talking(crowd.rome, *words) as talk:
        await talk.say("word\n")
        await talk.until("word")
        async with without_link(crowd), asyncio.timeout(PATIENCE):
            await talk.process.wait()


@pytest.mark.parametrize("fault", [without_api_server, with_a_frozen_api_server])
async def test_pods_outlive_the_providers_api_server(crowd: Crowd, fault: Fault) -> None:
    async with peopled(crowd) as seen:
        await crowd.start(FEW, "late")
        async with fault(crowd.milan):
            await eventually(crowd.node_is_lost)
        await seen.reach(Running=2 * FEW + REAL, Succeeded=1)


async def test_pods_outlive_the_consumers_api_server(crowd: Crowd) -> None:
    """For longer than a kubelet may hold its lease: it ends, and the next waits for an answer."""
    async with peopled(crowd) as seen:
        processes = await crowd.kubelets_processes()
        first = await processes()
        assert first
        await crowd.start(FEW, "late")
        async with without_api_server(crowd.rome):
            second = await eventually(
                processes, lambda found: bool(found) and found.isdisjoint(first)
            )
            [lost] = await delete_there(crowd, seen, "real-1")
            await eventually(partial(runs_anew, crowd, lost))
        await seen.reach(Running=2 * FEW + REAL, Succeeded=1)
        await eventually(partial(crowd.restarts, "real-1"), is_=1)
        await crowd.remove(seen, "simulated-0", "late-0")
        await seen.reach(Running=2 * FEW + REAL - 2, Succeeded=1)
        assert await processes() == second, "one that cannot begin yet must not end for that"


async def test_P_RACE1_a_kubelet_killed_while_pods_start_starts_each_once(
    crowd: Crowd, many: int
) -> None:
    """Real ones as well: only of those can be seen that a container was started twice."""
    async with peopled(crowd, simulated=0) as seen:
        kill = await crowd.doom_kubelet()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(crowd.start_mixed(many, AMID))
            await eventually(partial(running, seen), lambda found: found > many // 4, within=120)
            kill()
            pending, up = seen.phases()["Pending"], seen.names("Running")
        assert pending, "it was killed too late to show anything"
        assert not up.issuperset(AMID), "all that have containers ran when it was killed"
        await seen.reach(within=time_for(many), Running=many + len(AMID) + REAL, Succeeded=1)


async def test_a_kubelet_killed_while_pods_are_deleted_forgets_none(
    crowd: Crowd, many: int
) -> None:
    async with peopled(crowd, simulated=many) as seen:
        kill = await crowd.doom_kubelet()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(crowd.remove(seen))
            few = many * 3 // 4
            await eventually(partial(running, seen), lambda found: found < few, within=120)
            kill()
            left = seen.phases()
        assert left, "it was killed too late to show anything"
        await seen.reach(within=time_for(many))


@pytest.mark.row("F03", "F04")
async def test_a_remote_pod_that_somebody_deletes_is_made_again(crowd: Crowd) -> None:
    """With or without the consumer; but not the one that has finished."""
    async with peopled(crowd, simulated=1) as seen:
        await eventually(partial(remembered, crowd, "task"), is_="Succeeded")
        await delete_there(crowd, seen, "task", "simulated-0", "real-0")
        await eventually(partial(crowd.restarts, "real-0"), is_=1)
        async with without_link(crowd):
            [before] = await delete_there(crowd, seen, "real-1")
            await eventually(partial(runs_anew, crowd, before))
        await eventually(partial(crowd.restarts, "real-1"), is_=1)


async def test_a_shadow_pod_that_somebody_deletes_is_made_again(crowd: Crowd) -> None:
    async with peopled(crowd, simulated=1) as seen:
        for name in ("real-0", "simulated-0"):
            shadow = await crowd.there.get(ShadowPod, Key(crowd.remote, name))
            seen.take(shadow.metadata.uid)
            await crowd.there.delete(ShadowPod.KIND, shadow.key, uid=shadow.metadata.uid)
        await eventually(partial(crowd.restarts, "real-0"), is_=1)


async def test_a_node_that_somebody_deletes_comes_back_with_its_pods(crowd: Crowd) -> None:
    async with peopled(crowd) as seen:
        before = await crowd.here.get(Node, Key("", "milan"))
        await crowd.here.delete(Node.KIND, before.key)
        await eventually(crowd.node_is_ready)
        assert (await crowd.here.get(Node, before.key)).metadata.uid != before.metadata.uid
        await crowd.start(FEW, "late")
        await seen.reach(Running=2 * FEW + REAL, Succeeded=1)


async def test_a_credential_that_is_replaced_is_used_at_once(crowd: Crowd) -> None:
    async with peopled(crowd) as seen:
        kubelet = (await crowd.kubelet()).metadata.uid
        before = await credential(crowd)
        await crowd.milan.kubectl("delete", "csr", "-l", "liqo.io/remote-tenant-csr=true")
        secret = names.certificate_secret("milan")
        await crowd.milan.kubectl("delete", "secret", secret, "-n", names.tenant_namespace("rome"))
        after = await eventually(partial(credential, crowd), lambda now: now != before)
        await eventually(partial(was_shown, crowd, fingerprint(after)))
        await crowd.start(FEW, "late")
        await seen.reach(Running=2 * FEW + REAL, Succeeded=1)
        assert credentials_used(crowd)[-1] == fingerprint(after)
        assert (await crowd.kubelet()).metadata.uid == kubelet, "it need not start anew for that"


async def test_pods_of_a_node_that_the_provider_loses_run_on_another(crowd: Crowd) -> None:
    control_plane, worker = crowd.milan.cluster.nodes
    async with giving_up_nodes(crowd.milan), peopled(crowd, simulated=0) as seen:
        await crowd.milan.kubectl("cordon", control_plane.name)
        try:
            await crowd.start_hasty("moved")
            await seen.reach(Running=REAL + 1, Succeeded=1)
        finally:
            await crowd.milan.kubectl("uncordon", control_plane.name)
        where = Scope(crowd.remote)
        before = (await crowd.there.list(Pod, scope=where, resource_version="")).items
        lost = [pod for pod in before if pod.spec["nodeName"] == worker.name]
        seen.take(*(pod.metadata.uid for pod in lost))
        async with without_node(crowd.milan, worker.name):
            await eventually(partial(crowd.restarts, "moved"), is_=1, within=180)
            after = await crowd.there.get(Pod, Key(crowd.remote, "moved"))
            assert after.spec["nodeName"] == control_plane.name


@asynccontextmanager
async def giving_up_nodes(milan: Site) -> AsyncIterator[None]:
    """As its administrator may choose; they who do it are on a node that is not lost."""
    template = "/spec/template/spec"
    arguments = f"{template}/containers/0/args/-"
    stays = {"node-role.kubernetes.io/control-plane": ""}
    changes = [
        {"op": "add", "path": arguments, "value": "--enable-node-failure-controller=true"},
        {"op": "add", "path": f"{template}/nodeSelector", "value": stays},
    ]
    deployment = ("deployment/liqo-controller-manager", "-n", "liqo")
    await milan.kubectl("patch", *deployment, "--type=json", "-p", json.dumps(changes))
    try:
        await milan.kubectl("rollout", "status", *deployment)
        yield
    finally:
        await milan.kubectl("rollout", "undo", *deployment)
        await milan.kubectl("rollout", "status", *deployment)


async def delete_there(crowd: Crowd, seen: Observer, *names: str) -> list[Pod]:
    """As somebody would in Milan."""
    pods = [await crowd.there.get(Pod, Key(crowd.remote, name)) for name in names]
    seen.take(*(pod.metadata.uid for pod in pods))
    for pod in pods:
        await crowd.there.delete(Pod.KIND, pod.key)
    return pods


async def runs_anew(crowd: Crowd, before: Pod) -> bool:
    now = await crowd.there.get(Pod, before.key)
    return now.metadata.uid != before.metadata.uid and now.status.get("phase") == "Running"


async def remembered(crowd: Crowd, name: str) -> str:
    """How a pod ended, as far as its ShadowPod knows."""
    shadow = await crowd.there.get(ShadowPod, Key(crowd.remote, name))
    return shadow.status.phase if shadow.status is not None else ""


async def running(seen: Observer) -> int:
    return seen.phases()["Running"]


def fingerprint(pem: str) -> str:
    certificate = x509.load_pem_x509_certificate(pem.encode())
    return f"X509SHA256={certificate.fingerprint(hashes.SHA256()).hex()}"


def audit_log(crowd: Crowd) -> bytes:
    """Of Milan's API server, without what is being written."""
    logs = crowd.milan.folder_of(crowd.milan.cluster.control_plane) / "logs"
    whole, _, _ = (logs / "audit.log").read_bytes().rpartition(b"\n")
    return whole


async def was_shown(crowd: Crowd, credential_id: str) -> bool:
    """To Milan, which its kubelet asks every second whether it is there."""
    return credential_id.encode() in audit_log(crowd)


def credentials_used(crowd: Crowd) -> list[str]:
    """For each ShadowPod, as Milan's API server wrote them down."""
    lines = audit_log(crowd).splitlines()
    entries = [json.loads(line) for line in lines if crowd.remote.encode() in line]
    makers = [
        entry["user"]
        for entry in entries
        if (entry["verb"], entry["objectRef"]["resource"]) == ("create", "shadowpods")
    ]
    return [user["extra"]["authentication.kubernetes.io/credential-id"][0] for user in makers]


async def credential(crowd: Crowd) -> str:
    """The certificate with which the kubelet comes to Milan."""
    name = names.kubeconfig_secret(names.slice_identity("milan"))
    return from_secret(await crowd.here.get(Secret, Key(TENANT, name))).user.certificate.read()
