"""What is asked of a cluster, and what happens where it has no answer."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from liqo.api.meta import JSON
from liqo.cli.info import facts
from liqo.errors import LiqoError, first_error
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Unreachable
from liqo.kube.http import Limits
from tests.unit.cli.installations import an_object, rome
from tests.unit.cli.served import Served
from tests.unit.kube.scripted import scripted, serving

NAMESPACE = an_object("v1", "Namespace", "liqo", namespace="")
OURS = ("core", "authentication", "offloading", "networking", "ipam")


async def look(
    objects: Iterable[JSON], without: Iterable[str] = (), forbidden: Iterable[str] = ()
) -> tuple[facts.Local, facts.Peers]:
    cluster_ = Served(objects, without=without, forbidden=forbidden)
    async with serving(cluster_) as server, Cluster(server.access) as cluster:
        return await facts.local(cluster, "liqo"), await facts.peers(cluster, "liqo")


async def test_all_that_a_report_needs_is_found() -> None:
    local, peers = await look(rome("3-offloaded"))
    assert [each.metadata.name for each in local.deployments] == ["liqo-controller-manager"]
    assert len(local.networks) == 4
    assert [each.metadata.name for each in peers.virtual_nodes] == ["milan", "mynode", "mypool"]
    assert [each.metadata.name for each in peers.slices] == ["milan", "mypool"]
    assert local.refused == peers.refused == ()


async def test_kinds_that_are_not_served_have_no_objects() -> None:
    local, peers = await look(rome(), without=[f"{group}.liqo.io" for group in OURS])
    assert (local.peers, local.networks) == ((), ())
    assert peers == facts.Peers()


async def test_what_may_not_be_seen_is_said_and_the_rest_is_shown() -> None:
    local, _ = await look(rome(), forbidden=["pods", "namespaces"])
    assert local.pods == ()
    assert [each.metadata.name for each in local.peers] == ["milan"]
    (refusal,) = local.refused
    assert refusal.startswith("unable to list pods: ")


@pytest.mark.parametrize("objects", [[], [NAMESPACE]])
async def test_an_empty_namespace_is_no_installation(objects: list[JSON]) -> None:
    async with serving(Served(objects)) as server, Cluster(server.access) as cluster:
        with pytest.raises((LiqoError, ExceptionGroup)) as failed:
            await facts.local(cluster, "liqo")
    error = failed.value
    first = first_error(error) if isinstance(error, ExceptionGroup) else error
    assert str(first).startswith("Liqo is not installed in the current cluster! ")


async def test_a_cluster_that_does_not_answer_is_not_waited_for_long() -> None:
    impatient = Limits(connect=0.1, answer=0.1, silence=0.1)
    async with scripted() as silent, Cluster(silent.access, limits=impatient) as cluster:
        with pytest.raises(ExceptionGroup) as failed:
            await facts.local(cluster, "liqo")
    assert isinstance(first_error(failed.value), Unreachable)
    assert facts.IMPATIENT.connect <= facts.IMPATIENT.answer <= 10
