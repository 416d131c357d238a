"""Requests that stay with HTTP: which endpoint answers which path."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from liqo.api.meta import Key
from liqo.kube.cluster import Cluster
from liqo.kubelet.api import health, logs, pods, summary
from liqo.kubelet.api.answer import (
    NO_SUCH_METHOD,
    NO_SUCH_POD,
    NOT_FOUND,
    Answer,
    Streamed,
    said,
)
from liqo.kubelet.api.figures import PATHS, Figures
from liqo.kubelet.api.head import Target
from liqo.kubelet.api.permission import STREAMS
from liqo.kubelet.api.twins import Twins
from liqo.kubelet.site import Site
from liqo.runtime.clock import Clock

ONLY_UPGRADED = said(
    HTTPStatus.BAD_REQUEST,
    "unable to upgrade: it was not asked for in the first request of a connection",
)


@dataclass(frozen=True)
class Endpoints:
    site: Site
    provider: Cluster
    twins: Twins
    clock: Clock
    figures: Figures

    async def answer(self, method: str, target: Target) -> Answer | Streamed:
        if target.parts[0] in STREAMS:
            return ONLY_UPGRADED
        if method != "GET":
            return NO_SUCH_METHOD
        match target.parts:
            case ["containerLogs", namespace, pod, container]:
                return self._logs(Key(namespace, pod), container, target.query)
        return await self._of_the_node(target.path.rstrip("/"))

    def _logs(self, pod: Key, container: str, query: str) -> Answer | Streamed:
        twin = self.twins.of(pod)
        if twin is None:
            return NO_SUCH_POD
        return Streamed(logs.path(twin, container, query), logs.follows(query))

    async def _of_the_node(self, path: str) -> Answer:
        match path:
            case "/pods" | "/runningpods":
                return pods.answer(self.twins.pods)
            case "/healthz":
                return health.answer()
            case "/stats/summary":
                return await summary.answer(self.provider, self.twins, self.site, self.clock())
            case _ if path in PATHS:
                return await self.figures.answer(path)
        return NOT_FOUND
