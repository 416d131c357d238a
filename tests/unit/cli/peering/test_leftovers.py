"""What an earlier peering left is waited for, or named."""

from __future__ import annotations

import pytest

from liqo.api.meta import Key
from liqo.cli.peering.leftovers import ended
from liqo.errors import LiqoError
from tests.unit.cli.peering.pairs import THERE, an_object, scene
from tests.unit.kube.scripted import a_list, a_watch, an_event

KEY = Key(THERE, "rome")
ENDING = an_object("rome", THERE, metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})


async def test_a_tenant_that_is_ending_is_waited_for() -> None:
    later = a_watch(an_event("DELETED", ENDING), stays=True)
    async with scene(milan=[a_list(ENDING, version="1"), later]) as world:
        await ended(world.pair.provider, KEY)
    assert len(world.milan.asked) == 2


async def test_a_live_tenant_is_no_obstacle() -> None:
    async with scene(milan=[a_list(an_object("rome", THERE), version="1")]) as world:
        await ended(world.pair.provider, KEY)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ({"tenantCondition": "Drained"}, "is drained; .* liqoctl activate tenant rome"),
        ({"authzPolicy": "TolerateNoHandshake"}, "was made for peering by hand"),
    ],
)
async def test_a_tenant_that_would_not_let_us_in_is_named(spec: object, sentence: str) -> None:
    there = a_list(an_object("rome", THERE, spec=spec), version="1")
    async with scene(milan=[there]) as world:
        with pytest.raises(LiqoError, match=sentence):
            await ended(world.pair.provider, KEY)
