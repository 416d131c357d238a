"""The controllers as processes of their own, beside the cluster they work for."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from liqo.api import labels
from liqo.api.authentication import Identity, ResourceSlice, Tenant
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Namespace, Secret, ServiceAccount
from liqo.api.meta import JSON, Key, Kind
from liqo.install import identity
from liqo.install.settings import Settings
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.kube.paths import Scope
from liqo.playground.cluster import Site
from liqo.rules import names
from tests.e2e.account import narrow
from tests.e2e.eventually import ENDING, eventually
from tests.e2e.peering import Peering, Side

CRDS = Path(__file__).parents[2] / "deploy/crds"


@dataclass
class Controllers:
    """Of one cluster; they can be killed and started again."""

    site: Site
    kubeconfig: Path  # who they are
    process: Process | None = None
    id: str = ""  # of the cluster; its name, unless said
    labels: str = ""  # of the cluster, as a flag has them

    async def start(self) -> None:
        name = self.id or self.site.cluster.name
        flags = [f"--cluster-id={name}", f"--kubeconfig={self.kubeconfig}"]
        flags.append("--networking-enabled=false")  # as in an installation
        flags.append("--foreign-cluster-ping-interval=1s")  # who waits for it waits less
        if self.labels:
            flags.append(f"--cluster-labels={self.labels}")
        program = (sys.executable, "-m", "liqo.programs.controllers")
        self.process = await asyncio.create_subprocess_exec(*program, *flags)

    async def kill(self) -> None:
        if self.process is not None:
            with suppress(ProcessLookupError):
                self.process.kill()
            await self.process.wait()
            self.process = None


@asynccontextmanager
async def installed(
    site: Site, cluster_id: str = "", cluster_labels: str = ""
) -> AsyncIterator[tuple[Side, Controllers]]:
    """What an installation consists of, as far as peering needs it; its peerings end with it.
    The controllers may do what they may do in an installation, and no more.
    """
    await site.kubectl("apply", "--server-side", "-f", str(CRDS))
    name = cluster_id or site.cluster.name
    await site.kubectl("apply", "-f", "-", text=json.dumps(_found_by(name)))
    async with Cluster(from_kubeconfig(str(site.kubeconfig)), name=site.cluster.name) as cluster:
        account = await narrow(site, cluster)
        controllers = Controllers(site, account, id=cluster_id, labels=cluster_labels)
        await controllers.start()
        side = Side(name, cluster)
        try:
            await eventually(partial(has_keys, side))  # then nothing more is made for itself
            yield side, controllers
        finally:
            try:
                await end_peerings(side, controllers)
            finally:
                await controllers.kill()
                await site.kubectl("delete", "namespace", "liqo")


async def has_keys(side: Side) -> bool:
    return await side.find(Secret, "liqo", names.AUTHENTICATION_KEYS) is not None


@asynccontextmanager
async def both_installed(consumer: Site, provider: Site) -> AsyncIterator[Pair]:
    """Two of them, which end at once: Kubernetes waits five seconds before any namespace goes."""
    here, there = AsyncExitStack(), AsyncExitStack()
    try:
        lending = await there.enter_async_context(installed(provider))
        yield Pair(await here.enter_async_context(installed(consumer)), lending)
    finally:
        async with asyncio.TaskGroup() as endings:
            for stack in (here, there):
                endings.create_task(stack.aclose())


@dataclass(frozen=True)
class Pair:
    """Rome and Milan with controllers beside them; Rome may borrow from Milan."""

    rome: tuple[Side, Controllers]
    milan: tuple[Side, Controllers]

    @property
    def peering(self) -> Peering:
        return Peering(self.rome[0], self.milan[0])

    async def part(self) -> None:
        """Whatever a test made of them, they know nobody again."""
        async with asyncio.TaskGroup() as endings:
            for side, controllers in (self.rome, self.milan):
                endings.create_task(end_peerings(side, controllers))


async def end_peerings(side: Side, controllers: Controllers) -> None:
    """And all that was kept about them."""
    if controllers.process is None:
        await controllers.start()  # finalizers need somebody who lets go
    await remove_tenants(side.cluster)
    for kind, mark in ((ServiceAccount, labels.PEERING_CLAIM), (Secret, labels.TOMBSTONE)):
        found = await side.cluster.list(kind, scope=Scope("liqo", mark), resource_version="")
        for each in found.items:
            await side.delete(kind, "liqo", each.metadata.name)
    await forgotten(side.cluster)


async def remove_tenants(cluster: Cluster) -> None:
    """The namespaces of all peers, with everything in them."""

    async def left() -> Sequence[str]:
        found = await cluster.list(Namespace, resource_version="")
        marked = [each for each in found.items if labels.TENANT_NAMESPACE in each.metadata.labels]
        return [each.metadata.name for each in marked]

    for key, kind in await holding(cluster):
        with suppress(NotFound):
            await cluster.delete(kind, key)
    for name in await left():
        with suppress(NotFound):
            await cluster.delete(Namespace.KIND, Key("", name))
    await eventually(left, is_=[], within=ENDING)


async def forgotten(cluster: Cluster) -> None:
    """Nobody is known to it any more."""

    async def known() -> Sequence[str]:
        found = await cluster.list(ForeignCluster, resource_version="")
        return [each.metadata.name for each in found.items]

    await eventually(known, is_=[])


async def holding(cluster: Cluster) -> list[tuple[Key, Kind]]:
    """What takes its time to go, and had better be gone when Kubernetes looks into a namespace.

    It does so five seconds after that was deleted, and then every five seconds.
    """
    found: list[tuple[Key, Kind]] = []
    for kind in (ResourceSlice, Identity, Tenant):
        for each in (await cluster.list(kind, resource_version="")).items:
            if labels.REPLICATED not in each.metadata.labels:
                found.append((each.key, kind.KIND))
    return found


def _found_by(cluster_id: str) -> JSON:
    """The namespace, and what a client looks for in it."""
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "liqo"}}
    known = identity.manifests(Settings(cluster_id, version="tests"))
    return {"apiVersion": "v1", "kind": "List", "items": [namespace, *known]}
