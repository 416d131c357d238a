"""Where certificates live for a minute: all are renewed, nobody restarts, and work goes on."""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

import pytest
from cryptography import x509

from liqo.api.authentication import ResourceSlice
from liqo.api.core import ForeignCluster, ForeignClusterCondition
from liqo.api.kubernetes import Pod, Secret
from liqo.api.meta import Key
from liqo.kube.cluster import Cluster
from liqo.kube.http import Request
from liqo.kube.kubeconfig import from_kubeconfig, from_secret
from liqo.kube.paths import Scope, collection, query
from liqo.kube.reading import encode
from liqo.playground import images
from liqo.playground.cluster import Site
from liqo.playground.layout import Options
from liqo.playground.playground import Playground
from liqo.rules import certificates, conditions, names
from liqo.webhooks.certificate import SECRET
from tests.audit import Audit
from tests.e2e.audited import read
from tests.e2e.eventually import eventually
from tests.e2e.installation import install
from tests.e2e.liqoctl import liqoctl
from tests.e2e.loans import at_once
from tests.e2e.offloaded import extended
from tests.e2e.peering import Side
from tests.e2e.visitor import address, shown

LIFETIME = 45  # seconds: renewed after 30
RENEWALS = 2  # by then the first has expired
SLICE = "milan"
OFTEN = 0.1  # seconds between two pods
PROGRAMS = 7  # controllers, webhook and metric agent of both, and the kubelet
pytestmark = pytest.mark.timeout(1800)  # clusters of its own, and certificates that run out


@dataclass(frozen=True)
class World:
    """Rome borrows from Milan."""

    rome: Site
    milan: Site
    consumer: Side
    provider: Side

    @property
    def both(self) -> tuple[str, ...]:
        mine, other = str(self.rome.kubeconfig), str(self.milan.kubeconfig)
        return ("--kubeconfig", mine, "--remote-kubeconfig", other)


@pytest.fixture(scope="module")
async def world(audit: Audit) -> AsyncIterator[World]:
    playground = Playground(f"renewal-{uuid4().hex[:8]}", print)
    options = Options(signing_duration=f"{LIFETIME}s", audit=True)
    try:
        rome, milan = await playground.up(["rome", "milan"], options)
        await at_once(install(rome), install(milan))
        async with AsyncExitStack() as clusters:
            sides = []
            for site in (rome, milan):
                cluster = Cluster(from_kubeconfig(str(site.kubeconfig)))
                await clusters.enter_async_context(cluster)
                sides.append(Side(site.cluster.name, cluster))
            made = World(rome, milan, *sides)
            ended = await liqoctl("peer", "--networking-disabled", *made.both)
            assert ended.code == 0, ended.stderr
            yield made
        read(audit, (rome, milan))
    finally:
        await playground.down()


async def kubeconfig(world: World, identity: str) -> bytes:
    """The certificate in the kubeconfig of that Identity."""
    key = Key(names.tenant_namespace("milan"), names.kubeconfig_secret(identity))
    secret = await world.consumer.cluster.get(Secret, key)
    return from_secret(secret).user.certificate.read().encode()


async def webhook(world: World) -> bytes:
    secret = await world.consumer.cluster.get(Secret, Key("liqo", SECRET))
    return b64decode(secret.data["tls.crt"])


async def kubelet(world: World) -> bytes:
    """What the kubelet of the virtual node shows on its port."""
    return await shown(world.rome, await address(world.rome, "milan"))


async def programs(world: World) -> dict[str, int]:
    """The pods of both installations and the kubelet, and how often they were restarted."""
    found = {}
    for side in (world.consumer, world.provider):
        for namespace in ("liqo", names.tenant_namespace("milan")):
            listing = await side.cluster.list(Pod, scope=Scope(namespace), resource_version="")
            for pod in listing.items:
                started = pod.status.get("containerStatuses", ())
                counts = [each["restartCount"] for each in started]
                found[pod.metadata.name] = sum(counts)
    return found


async def replicates(world: World, cpu: str) -> None:
    """What is asked for here is granted there, and the answer comes back."""
    here, there = names.tenant_namespace("milan"), names.tenant_namespace("rome")
    change = {"spec": {"resources": {"cpu": cpu}}}
    await world.consumer.cluster.patch(ResourceSlice.KIND, Key(here, SLICE), change, how="merge")

    async def said(side: Side, namespace: str) -> tuple[object, object]:
        found = await side.cluster.get(ResourceSlice, Key(namespace, SLICE))
        return found.spec.resources.get("cpu"), found.status.resources.get("cpu")

    await eventually(partial(said, world.provider, there), is_=(cpu, cpu))
    await eventually(partial(said, world.consumer, here), is_=(cpu, cpu))


async def renewed(look: Callable[[], Awaitable[bytes]]) -> list[bytes]:
    """One certificate after the other."""
    seen = [await eventually(look, bool)]
    for _ in range(RENEWALS):
        seen.append(await eventually(look, lambda now: now != seen[-1], within=3 * LIFETIME))
    return seen


async def keep_creating(world: World, namespace: str) -> None:
    """Pods that the webhook completes; not one of them fails."""
    container = {"name": "web", "image": images.DEMO}
    pod = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [container]}}
    body = encode({**pod, "metadata": {"generateName": "web-"}})
    path = query(collection(Pod.KIND, namespace), dryRun="All")
    while True:
        answer = await world.consumer.cluster.request(Request("POST", path, body))
        assert b"virtual-node.liqo.io/not-allowed" in answer
        await asyncio.sleep(OFTEN)


async def short_lived_webhook(world: World) -> None:
    """That of the webhook is its own: it is told how long it lives."""
    flag = {"op": "add", "path": "/spec/template/spec/containers/0/args/-"}
    patch = json.dumps([{**flag, "value": f"--certificate-lifetime={LIFETIME}"}])
    deployment = ("deployment/liqo-webhook", "--namespace=liqo")
    await world.rome.kubectl("patch", *deployment, "--type=json", "--patch", patch)
    await world.rome.kubectl("rollout", "status", *deployment)

    async def is_short() -> bool:
        pem = await webhook(world)
        left = (certificates.expires_at(pem) - datetime.now(UTC)).total_seconds()
        if left > LIFETIME:
            await world.consumer.delete(Secret, "liqo", SECRET)
        return left <= LIFETIME

    await eventually(is_short)


async def test_every_certificate_is_renewed_while_work_goes_on(world: World) -> None:
    """Who is known needs no nonce for that."""
    await world.provider.delete(Secret, names.tenant_namespace("rome"), names.NONCE_SECRET)
    await short_lived_webhook(world)
    started = await eventually(partial(programs, world), lambda found: len(found) == PROGRAMS)
    controlplane = partial(kubeconfig, world, names.controlplane_identity("milan"))
    of_slice = partial(kubeconfig, world, names.slice_identity(SLICE))
    looks = (controlplane, of_slice, partial(webhook, world), partial(kubelet, world))
    await eventually(partial(kubelet, world), bool)
    async with extended(world.rome) as shop, asyncio.TaskGroup() as tasks:
        creating = tasks.create_task(keep_creating(world, shop))
        chains = await at_once(*map(renewed, looks))
        creating.cancel()
    for chain in chains:
        serials = {x509.load_pem_x509_certificate(each).serial_number for each in chain}
        ends = [certificates.expires_at(each) for each in chain]
        assert len(serials) == RENEWALS + 1
        assert ends == sorted(ends)
        assert ends[0] < datetime.now(UTC)
    await replicates(world, "3")  # which the webhook reviews on its way
    assert await programs(world) == started == dict.fromkeys(started, 0)


async def test_R3_authenticating_again_heals_a_certificate_that_expired(world: World) -> None:
    controllers = ("deployment/liqo-controller-manager", "--namespace=liqo")
    await world.rome.kubectl("scale", *controllers, "--replicas=0")

    async def is_over() -> bool:
        pem = await kubeconfig(world, names.controlplane_identity("milan"))
        return certificates.expires_at(pem) < datetime.now(UTC)

    await eventually(is_over, within=2 * LIFETIME)
    await world.rome.kubectl("scale", *controllers, "--replicas=1")

    async def condition() -> ForeignClusterCondition | None:
        found = await world.consumer.cluster.get(ForeignCluster, Key("", "milan"))
        modules = found.status.modules if found.status is not None else None
        assert modules is not None
        return conditions.find(modules.authentication.conditions, "AuthIdentityControlPlaneStatus")

    alarm = await eventually(condition, lambda seen: seen is not None and seen.status != "Ready")
    assert alarm is not None
    assert "liqoctl authenticate" in alarm.message
    ended = await liqoctl("authenticate", *world.both)
    assert ended.code == 0, ended.stderr
    await eventually(condition, lambda seen: seen is not None and seen.status == "Ready")
    await replicates(world, "2")
