"""Which namespaces are meant."""

from __future__ import annotations

from liqo.cli.offload.choice import Choice, chosen
from liqo.kube.cluster import Cluster
from tests.unit.cli.answers import thing, things
from tests.unit.cli.offload.things import a_namespace
from tests.unit.kube.scripted import scripted


async def test_those_that_are_named_and_those_that_are_selected_each_once() -> None:
    answers = (thing(a_namespace("shop")), things(a_namespace("shop"), a_namespace("market")))
    async with scripted(*answers) as server, Cluster(server.access, name="rome") as cluster:
        found = await chosen(cluster, Choice(("shop",), "team=a"))
    assert [each.metadata.name for each in found] == ["shop", "market"]


async def test_without_a_selector_only_the_named_are_asked_for() -> None:
    async with (
        scripted(thing(a_namespace("shop"))) as server,
        Cluster(server.access, name="rome") as cluster,
    ):
        await chosen(cluster, Choice(("shop",)))
    assert len(server.asked) == 1
