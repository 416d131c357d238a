"""What the provider measures."""

from __future__ import annotations

from liqo.kube.cluster import Cluster
from liqo.kubelet.api.figures import Figures
from tests.unit.kube.scripted import Answer, refuses, scripted
from tests.unit.kubelet.api.things import SITE


async def test_figures_are_the_providers_own() -> None:
    async with scripted(Answer(b"up 1\n")) as server, Cluster(server.access) as provider:
        found = await Figures(provider, SITE).answer("/metrics/resource")
        assert (found.code, found.body) == (200, b"up 1\n")
    [asked] = server.asked
    assert asked.path == "/apis/metrics.liqo.io/v1beta1/scrape/rome/metrics/resource"


async def test_a_provider_without_figures_is_no_fault_of_ours() -> None:
    """Whether its API server knows no such API, or nobody who serves it."""
    missing = (refuses(404), *(refuses(503) for _ in range(3)))
    async with scripted(*missing) as server, Cluster(server.access) as provider:
        for _ in range(2):
            found = await Figures(provider, SITE).answer("/metrics/resource")
            assert found.code == 200
            assert found.body.startswith(b'# No figures: the cluster "milan"')


async def test_figures_are_missing_when_they_were_asked_for_in_vain_three_times() -> None:
    answers = (*(refuses(404) for _ in range(3)), Answer(b"up 1\n"), refuses(404))
    async with scripted(*answers) as server, Cluster(server.access) as provider:
        figures, seen = Figures(provider, SITE), []
        for _ in answers:
            await figures.answer("/metrics/resource")
            seen.append(figures.missing.now)
    assert seen == [False, False, True, False, False]


async def test_who_may_not_read_them_says_so() -> None:
    async with scripted(refuses(403, "not you")) as server, Cluster(server.access) as provider:
        found = await Figures(provider, SITE).answer("/metrics")
        assert (found.code, found.body) == (403, b"not you")


async def test_a_provider_that_fails_is_not_one_without_figures() -> None:
    failing = [refuses(500, "broken") for _ in range(3)]
    async with scripted(*failing) as server, Cluster(server.access) as provider:
        assert (await Figures(provider, SITE).answer("/metrics")).code == 500
