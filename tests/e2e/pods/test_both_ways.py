"""Two clusters that borrow from each other: in one tenant namespace lie the maps of both."""

from __future__ import annotations

from functools import partial

from liqo.playground.cluster import Site
from tests.e2e.eventually import eventually
from tests.e2e.offloaded import a_pod, borrowing, condition, extended, read


async def test_pods_go_both_ways_and_one_way_on_when_the_other_is_closed(
    peered: dict[str, Site], shop: str
) -> None:
    """In Milan the map of Rome is the older one: it is not Milan's to follow."""
    rome, milan = peered["rome"], peered["milan"]
    await runs(rome, shop, "to-milan", on="milan")
    async with borrowing(milan, rome), extended(milan) as bank:
        await runs(milan, bank, "to-rome", on="rome")
        assert await read(rome, "pod/to-rome", "-n", f"{bank}-milan")
        await milan.kubectl("delete", "pod", "to-rome", "-n", bank)
    await runs(rome, shop, "to-milan-again", on="milan")
    assert await condition(rome, "pod/to-milan", "Ready", "-n", shop) == "True"


async def runs(site: Site, namespace: str, name: str, on: str) -> None:
    await site.kubectl("create", "-f", "-", text=a_pod(name, namespace))
    await eventually(
        partial(condition, site, f"pod/{name}", "Ready", "-n", namespace), is_="True", within=120
    )
    assert (await read(site, f"pod/{name}", "-n", namespace))["spec"]["nodeName"] == on
