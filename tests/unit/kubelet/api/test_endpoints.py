"""What stays with HTTP, and who answers it."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from liqo.kube.access import Access
from liqo.kube.cluster import Cluster
from liqo.kubelet.api.answer import NO_SUCH_METHOD, NO_SUCH_POD, NOT_FOUND, Answer, Streamed
from liqo.kubelet.api.endpoints import ONLY_UPGRADED, Endpoints
from liqo.kubelet.api.figures import Figures
from liqo.kubelet.api.head import target
from tests.unit.kube.scripted import Answer as Scripted
from tests.unit.kube.scripted import refuses, scripted
from tests.unit.kubelet.api.things import SITE, a_pod, known


def endpoints(provider: Cluster) -> Endpoints:
    return Endpoints(
        SITE, provider, known(a_pod("web")), lambda: datetime.now(UTC), Figures(provider, SITE)
    )


NOWHERE = endpoints(Cluster(Access("http://milan.invalid")))


@pytest.mark.parametrize(
    ("method", "path", "answer"),
    [
        ("GET", "/healthz", Answer(200, b"ok")),
        ("GET", "/healthz/", Answer(200, b"ok")),
        ("POST", "/healthz", NO_SUCH_METHOD),
        ("GET", "/containerLogs/shop/other/main", NO_SUCH_POD),
        ("GET", "/containerLogs/shop/web", NOT_FOUND),
        ("GET", "/metrics/other", NOT_FOUND),
        ("GET", "/stats/../pods", NOT_FOUND),
        ("GET", "/", NOT_FOUND),
        ("POST", "/exec/shop/web/main", ONLY_UPGRADED),
        ("GET", "/portForward/shop/web", ONLY_UPGRADED),
    ],
)
async def test_each_path_has_its_answer(method: str, path: str, answer: Answer) -> None:
    assert await NOWHERE.answer(method, target(path)) == answer


async def test_a_log_is_streamed_from_the_twin() -> None:
    found = await NOWHERE.answer("GET", target("/containerLogs/shop/web/main?tailLines=1"))
    path = "/api/v1/namespaces/shop-rome/pods/web/log?container=main&tailLines=1"
    assert found == Streamed(path)
    found = await NOWHERE.answer("GET", target("/containerLogs/shop/web/main?follow=true"))
    assert isinstance(found, Streamed)
    assert found.follows


@pytest.mark.parametrize("path", ["/pods", "/runningpods/"])
async def test_pods_are_those_of_the_node(path: str) -> None:
    found = await NOWHERE.answer("GET", target(path))
    assert isinstance(found, Answer)
    [pod] = msgspec.json.decode(found.body)["items"]
    assert pod["metadata"]["name"] == "web"


async def test_figures_come_from_the_provider() -> None:
    answers = (Scripted(b"up 1\n"), refuses(404))
    async with scripted(*answers) as server, Cluster(server.access) as provider:
        asked = endpoints(provider)
        assert await asked.answer("GET", target("/metrics/resource")) == Answer(200, b"up 1\n")
        found = await asked.answer("GET", target("/stats/summary"))
    assert isinstance(found, Answer)
    assert msgspec.json.decode(found.body)["node"]["nodeName"] == "milan"
