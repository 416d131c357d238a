"""Tenant namespaces are found by label, made when missing, and believed of peering users."""

from __future__ import annotations

import json

import pytest

from liqo.api import labels
from liqo.api.meta import JSON
from liqo.cli.peering import namespaces
from liqo.errors import LiqoError
from tests.unit.cli.peering.pairs import HERE, an_object, methods, scene
from tests.unit.kube.scripted import Answer, a_list, refuses, says

MARKS = {labels.REMOTE_CLUSTER_ID: "milan", labels.TENANT_NAMESPACE: "true"}


def home(name: str = HERE, **marks: str) -> JSON:
    return an_object(name, metadata={"labels": {**MARKS, **marks}})


async def test_its_labels_count_and_not_its_name() -> None:
    async with scene(rome=[a_list(home("elsewhere"), version="1")]) as world:
        assert await namespaces.ensure(world.pair.consumer, "milan") == "elsewhere"
    assert methods(world.rome.asked) == ["GET"]


async def test_it_is_made_with_labels_and_marks() -> None:
    async with scene(rome=[a_list(version="1"), says(home())]) as world:
        assert await namespaces.ensure(world.pair.consumer, "milan", {"a": "b"}) == HERE
    made = json.loads(world.rome.asked[1].body)["metadata"]
    assert made["annotations"] == {"a": "b"}
    assert made["labels"].items() >= MARKS.items()


async def test_R17_two_for_one_peer_are_an_error() -> None:
    async with scene(rome=[a_list(home("a"), home("b"), version="1")]) as world:
        with pytest.raises(LiqoError, match=r"multiple tenant namespaces found .*: a, b; delete"):
            await namespaces.find(world.pair.consumer.cluster, "milan")


async def test_a_peering_user_uses_the_one_that_was_made_for_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with scene(rome=[refuses(403), says(home())]) as world:
        assert await namespaces.ensure(world.pair.consumer, "milan") == HERE
    assert capsys.readouterr().err.startswith("WARN: this user may not make namespaces in the")


@pytest.mark.parametrize(
    "answer", [refuses(404), says(home(HERE, **{labels.REMOTE_CLUSTER_ID: "naples"}))]
)
async def test_without_it_a_peering_user_is_told_who_can_help(answer: Answer) -> None:
    async with scene(rome=[refuses(403), answer]) as world:
        with pytest.raises(LiqoError, match="no tenant namespace with default name has been"):
            await namespaces.find(world.pair.consumer.cluster, "milan")


async def test_who_needs_one_is_told_the_next_step() -> None:
    async with scene(rome=[a_list(version="1")]) as world:
        with pytest.raises(LiqoError) as wrong:
            await namespaces.known(world.pair.consumer.cluster, "nowhere")
    assert str(wrong.value).startswith(
        'Unable to get tenant namespace: tenant namespace not found for cluster "nowhere"'
    )
    assert "liqoctl peer, or liqoctl authenticate" in str(wrong.value)


@pytest.mark.parametrize("chosen", ["", "default", "lent"])
async def test_a_choice_must_be_the_right_one(chosen: str) -> None:
    lent = a_list(home("lent"), version="1")
    async with scene(rome=[lent, lent]) as world:
        cluster = world.pair.consumer.cluster
        assert await namespaces.known(cluster, "milan", chosen) == "lent"
        with pytest.raises(LiqoError, match='"shop" is not the tenant namespace of "milan"'):
            await namespaces.known(cluster, "milan", "shop")


async def test_R25_a_name_that_cannot_be_is_refused_before_anything_is_asked() -> None:
    async with scene() as world:
        with pytest.raises(LiqoError, match="must consist of lower case"):
            await namespaces.find(world.pair.consumer.cluster, "Milan!")
    assert world.rome.asked == []
