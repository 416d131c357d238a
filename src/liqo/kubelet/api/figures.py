"""`/metrics`, `/metrics/resource` and their like: what the provider measures of our pods.

It serves them as an API of its own, `metrics.liqo.io`. A provider without it has no figures: then
there are none, and the answer says why; who scrapes us may well scrape other nodes.
"""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import quote

from liqo.api.metrics import SCRAPE
from liqo.kube.cluster import Cluster
from liqo.kube.errors import KubeError, NotFound, ServerFault
from liqo.kube.http import Request
from liqo.kubelet.api.answer import Answer, refused, said
from liqo.kubelet.site import Site
from liqo.runtime.value import Value

PATHS = frozenset({"/metrics", "/metrics/cadvisor", "/metrics/probes", "/metrics/resource"})
LASTING = 3  # vain questions in a row; a metrics-server asks every ten seconds or so
UNAVAILABLE = 503  # what an API server says of an API whose server is not there


class Figures:
    def __init__(self, provider: Cluster, site: Site) -> None:
        self.site = site
        self.missing = Value(False)  # for longer than an agent is away that restarts
        self._provider = provider
        self._misses = 0

    async def answer(self, path: str) -> Answer:
        request = Request("GET", upstream(self.site.home, path), accept="*/*")
        try:
            found = await self._provider.request(request)
        except (NotFound, ServerFault) as missing:
            if missing.code not in (HTTPStatus.NOT_FOUND, UNAVAILABLE):
                return refused(missing)
            self._count(self._misses + 1)
            return said(HTTPStatus.OK, missing_text(self.site.provider))
        except KubeError as error:
            return refused(error)
        self._count(0)
        return Answer(HTTPStatus.OK, found)

    def _count(self, misses: int) -> None:
        self._misses = misses
        self.missing.become(misses >= LASTING)


def upstream(home: str, path: str) -> str:
    return f"{SCRAPE}{quote(home, safe='')}{path}"


def missing_text(provider: str) -> str:
    """A comment, to whoever looks for figures."""
    return f'# No figures: the cluster "{provider}" serves no metrics.liqo.io.\n'
