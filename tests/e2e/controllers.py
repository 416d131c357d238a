"""The controllers as processes of their own, beside the cluster they work for."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from liqo.api import labels
from liqo.api.kubernetes import Namespace
from liqo.api.meta import JSON, Key
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.playground.cluster import Site
from tests.e2e.eventually import eventually
from tests.e2e.peering import Side

CRDS = Path(__file__).parents[2] / "deploy/crds"
ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


@dataclass
class Controllers:
    """Of one cluster; they can be killed and started again."""

    site: Site
    process: Process | None = None

    async def start(self) -> None:
        name, kubeconfig = self.site.cluster.name, self.site.kubeconfig
        flags = (f"--cluster-id={name}", f"--kubeconfig={kubeconfig}")
        program = (sys.executable, "-m", "liqo.programs.controllers")
        self.process = await asyncio.create_subprocess_exec(*program, *flags)

    async def kill(self) -> None:
        if self.process is not None:
            with suppress(ProcessLookupError):
                self.process.kill()
            await self.process.wait()
            self.process = None


@asynccontextmanager
async def installed(site: Site) -> AsyncIterator[tuple[Side, Controllers]]:
    """What an installation consists of, as far as peering needs it; its peerings end with it."""
    roles = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(_roles())})
    await site.kubectl("apply", "--server-side", "-f", str(CRDS))
    await site.kubectl("apply", "--server-side", "-f", "-", text=roles)
    await site.kubectl("apply", "-f", "-", text=json.dumps(_namespace()))
    controllers = Controllers(site)
    async with Cluster(from_kubeconfig(str(site.kubeconfig)), name=site.cluster.name) as cluster:
        await controllers.start()
        try:
            yield Side(site.cluster.name, cluster), controllers
        finally:
            if controllers.process is None:
                await controllers.start()  # finalizers need somebody who lets go
            try:
                await remove_tenants(cluster)
            finally:
                await controllers.kill()
                await site.kubectl("delete", "namespace", "liqo")


async def remove_tenants(cluster: Cluster) -> None:
    """The namespaces of all peers, with everything in them."""

    async def left() -> Sequence[str]:
        found = await cluster.list(Namespace, resource_version="")
        marked = [each for each in found.items if labels.TENANT_NAMESPACE in each.metadata.labels]
        return [each.metadata.name for each in marked]

    for name in await left():
        with suppress(NotFound):
            await cluster.delete(Namespace.KIND, Key("", name))
    await eventually(left, is_=[])


def _namespace() -> JSON:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "liqo"}}


def _roles() -> Sequence[JSON]:
    """What a consumer is given on its provider: fixed by the wire."""
    slices = ("renews", "renews/status", "resourceslices", "resourceslices/status")
    maps = ("namespacemaps", "namespacemaps/status")
    return (
        _role(
            "remote-controlplane",
            _rule("authentication.liqo.io", slices, ALL_VERBS),
            _rule("offloading.liqo.io", maps, ALL_VERBS),
        ),
        _role(
            "virtual-kubelet-remote-clusterwide",
            _rule("metrics.liqo.io", ("scrape/metrics",), ("get", "list", "watch")),
        ),
    )


def _role(name: str, *rules: JSON) -> JSON:
    metadata = {"name": f"liqo-{name}", "labels": {labels.APP_NAME: name}}
    kind = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole"}
    return {**kind, "metadata": metadata, "rules": list(rules)}


def _rule(group: str, resources: Sequence[str], verbs: Sequence[str]) -> JSON:
    return {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}
