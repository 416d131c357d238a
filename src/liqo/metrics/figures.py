"""The figures of one consumer's pods, as the kubelets of this cluster tell them when asked.

Nothing is followed: a metrics server asks every fifteen seconds or not at all, and then what
the API server has in memory is read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import structlog

from liqo.api import labels
from liqo.api.kubernetes import Namespace, Node, Pod
from liqo.api.meta import Resource
from liqo.kube.cluster import Cluster
from liqo.kube.errors import KubeError, NotFound
from liqo.kube.http import Request
from liqo.kube.paths import Scope
from liqo.kube.reading import metadata
from liqo.metrics.exposition import Share, of_consumer
from liqo.metrics.paths import Scrape
from liqo.rules.readiness import is_ready

AT_ONCE = 16  # nodes that are asked at the same time
PATIENCE = 4.0  # seconds for one of them: a metrics-server gives up after five to ten, on all

log = structlog.get_logger()


@dataclass(frozen=True)
class Kubelets:
    """Those of one cluster, behind its API server."""

    cluster: Cluster

    async def text(self, asked: Scrape) -> str:
        share, turn = await self._share(asked.consumer), asyncio.Semaphore(AT_ONCE)
        nodes = asked_nodes((await self.cluster.list(Node)).items)

        async def tell(node: str) -> str:
            async with turn:
                return await self._ask(node, asked.figure)

        async with asyncio.TaskGroup() as tasks:
            told = [tasks.create_task(tell(node)) for node in nodes]
        return of_consumer(share, (each.result() for each in told))

    async def _share(self, consumer: str) -> Share:
        marked = Scope(labels=f"{labels.REMOTE_CLUSTER_ID}={consumer}")
        offloaded = Scope(labels=f"{labels.ORIGIN}={consumer},{labels.MANAGED_BY}=shadowpod")
        namespaces = await self.cluster.list(metadata(Namespace), scope=marked)
        pods = await self.cluster.list(metadata(Pod), scope=offloaded)
        return share_of(namespaces.items, pods.items)

    async def _ask(self, node: str, figure: str) -> str:
        """A node that does not answer is missing in the sum; the others are told all the same."""
        path = f"/api/v1/nodes/{node}/proxy/{figure}"
        try:
            async with asyncio.timeout(PATIENCE):
                found = await self.cluster.request(Request("GET", path, accept="text/plain"))
        except NotFound:
            return ""
        except (KubeError, TimeoutError) as error:
            log.warning("node not asked", node=node, why=str(error) or "no answer in time")
            return ""
        return found.decode(errors="replace")


def share_of(namespaces: Iterable[Resource], pods: Iterable[Resource]) -> Share:
    at_home = {
        each.metadata.name: each.metadata.annotations[labels.ORIGINAL_NAME]
        for each in namespaces
        if labels.ORIGINAL_NAME in each.metadata.annotations
    }
    return Share(at_home, frozenset((each.key.namespace, each.key.name) for each in pods))


def asked_nodes(nodes: Sequence[Node]) -> list[str]:
    """Virtual ones would ask the provider behind them, and perhaps us."""
    real = (each for each in nodes if each.metadata.labels.get(labels.TYPE) != "virtual-node")
    return sorted(each.metadata.name for each in real if is_ready(each))
