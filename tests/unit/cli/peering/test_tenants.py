"""Tenants, whatever they are called."""

from __future__ import annotations

from liqo.api.meta import Key
from liqo.cli.peering import tenants
from tests.unit.cli.peering.pairs import THERE, an_object, scene
from tests.unit.kube.scripted import a_list


async def test_a_tenant_is_known_by_whom_it_stands_for() -> None:
    ours = an_object("by-hand", THERE, spec={"clusterID": "rome"})
    other = an_object("rome", THERE, spec={"clusterID": "naples"})
    async with scene(milan=[a_list(other, ours, version="1")]) as world:
        found = await tenants.find(world.pair.provider, THERE, "rome")
    assert [each.key for each in found] == [Key(THERE, "by-hand")]
