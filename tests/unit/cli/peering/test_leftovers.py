"""What an earlier peering left is waited for, or named."""

from __future__ import annotations

import pytest

from liqo.api import labels
from liqo.api.meta import JSON
from liqo.cli.peering.leftovers import ended
from liqo.errors import LiqoError
from tests.unit.cli.peering.pairs import THERE, an_object, scene
from tests.unit.kube.scripted import Answer, a_list, a_watch, an_event, refuses

GOING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


def a_tenant(name: str = "rome", consumer: str = "rome", **spec: str) -> JSON:
    return an_object(name, THERE, spec={"clusterID": consumer, **spec})


@pytest.mark.parametrize("name", ["rome", "by-hand"])
async def test_a_tenant_that_is_ending_is_waited_for_whatever_its_name(name: str) -> None:
    ending = an_object(name, THERE, metadata=GOING, spec={"clusterID": "rome"})
    later = a_watch(an_event("DELETED", ending), stays=True)
    async with scene(milan=[a_list(ending, version="1"), later]) as world:
        await ended(world.pair.provider, THERE, "rome")
    assert len(world.milan.asked) == 2


NO_RENEWS = a_list(version="1")
MARK = an_object(
    "controlplane-milan",
    THERE,
    metadata={
        "labels": {labels.REPLICATED: "true", labels.ORIGIN_ID: "rome"},
        "annotations": {labels.WITHDRAWAL: "true"},
    },
    spec={"consumerClusterID": "rome"},
)


@pytest.mark.parametrize("renews", [NO_RENEWS, refuses(403)], ids=["none", "not for us to read"])
async def test_a_live_tenant_is_no_obstacle(renews: Answer) -> None:
    async with scene(milan=[a_list(a_tenant(), version="1"), renews]) as world:
        await ended(world.pair.provider, THERE, "rome")
    assert len(world.milan.asked) == 2


async def test_one_of_another_cluster_is_none_either() -> None:
    async with scene(milan=[a_list(a_tenant("naples", "naples"), version="1")]) as world:
        await ended(world.pair.provider, THERE, "rome")


async def test_a_tenant_that_we_have_just_withdrawn_is_waited_for() -> None:
    """Word of it came to the provider, whose controllers have not done anything yet."""
    answers = [
        a_list(a_tenant(), version="1"),
        a_list(MARK, version="1"),
        a_watch(an_event("DELETED", MARK), stays=True),
        a_list(version="3"),
    ]
    async with scene(milan=answers) as world:
        await ended(world.pair.provider, THERE, "rome")
    assert len(world.milan.asked) == 4


@pytest.mark.parametrize(
    ("there", "sentence"),
    [
        (a_tenant(tenantCondition="Drained"), "is drained; .* liqoctl activate tenant rome"),
        (
            a_tenant("by-hand", tenantCondition="Drained"),
            f'"{THERE}/by-hand" .* is drained; .* liqoctl activate tenant by-hand',
        ),
        (a_tenant(authzPolicy="TolerateNoHandshake"), "was made for peering by hand"),
        (a_tenant("by-hand"), "was made by hand, under another name than ours; .*liqoctl unpeer"),
    ],
)
async def test_a_tenant_that_would_not_let_us_in_is_named(there: JSON, sentence: str) -> None:
    async with scene(milan=[a_list(there, version="1"), NO_RENEWS]) as world:
        with pytest.raises(LiqoError, match=sentence):
            await ended(world.pair.provider, THERE, "rome")
