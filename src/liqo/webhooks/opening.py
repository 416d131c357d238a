"""Opens a namespace: from the moment that a NamespaceOffloading is stored, its pods are reviewed.

An API server asks us about pods of namespaces with a certain label, and it knows labels from a copy
of its own, which may be behind. So we set the label before we say yes, and then ask the API server
to make something that we refuse in just those namespaces: once we are asked about that, we are
asked about pods, too. Nothing is ever stored by it.

We do not wait for ever: pods that came too early are seen to afterwards
(consumer/offloading/forerunner.py).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import structlog

from liqo.api.kubernetes import Namespace
from liqo.api.meta import JSON, Key
from liqo.api.offloading import NamespaceOffloading, PodStrategy
from liqo.kube.cluster import Cluster
from liqo.kube.errors import KubeError
from liqo.kube.http import Request as Call
from liqo.kube.paths import collection, query
from liqo.kube.reading import encode
from liqo.rules.offloading import PROBE
from liqo.rules.opening import opened
from liqo.runtime.clock import Clock, wall_clock
from liqo.webhooks.review import Request
from liqo.webhooks.reviews.namespaceoffloadings import SEEN, opens

PATIENCE = 2.0  # seconds: somebody waits for the answer
PAUSE = 0.01

log = structlog.get_logger()


@dataclass(frozen=True)
class Opener:
    cluster: Cluster
    clock: Clock = wall_clock
    patience: float = PATIENCE

    async def __call__(self, request: Request[NamespaceOffloading]) -> None:
        if request.is_dry_run or not opens(request):
            return
        namespace = request.object.metadata.namespace
        try:
            async with asyncio.timeout(self.patience):
                await self._label(namespace, request.object.spec.pod_offloading_strategy)
                await self._reviewed(namespace)
        except (KubeError, TimeoutError) as error:
            log.warning("not opened in time", namespace=namespace, why=str(error) or "no answer")

    async def _label(self, namespace: str, strategy: PodStrategy) -> None:
        """With a note: until this review is over, nobody else knows what the label is for."""
        change: JSON = {"metadata": opened(strategy, self.clock())}
        key = Key("", namespace)
        await self.cluster.patch(Namespace.KIND, key, change, how="merge", answer="metadata")

    async def _reviewed(self, namespace: str) -> None:
        while True:
            if await self._is_reviewed(namespace):
                return
            await asyncio.sleep(PAUSE)

    async def _is_reviewed(self, namespace: str) -> bool:
        path = query(collection(NamespaceOffloading.KIND, namespace), dryRun="All")
        try:
            await self.cluster.request(Call("POST", path, encode(a_probe(namespace))))
        except KubeError as refusal:
            return SEEN in str(refusal)
        return False


def a_probe(namespace: str) -> JSON:
    kind = NamespaceOffloading.KIND
    return {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "metadata": {"name": PROBE, "namespace": namespace},
        "spec": {},
    }
