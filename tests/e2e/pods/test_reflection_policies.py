"""Who decides what leaves a cluster: by kind, by object, by label; and who carries it out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial

import pytest

from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from tests.e2e.artifacts import config_map, ingress, secret, service
from tests.e2e.eventually import eventually
from tests.e2e.kubelets import (
    NODES,
    REFLECTION,
    change,
    holder,
    kubelets,
    leader,
    own_options,
    put_node,
    rolled_out,
)
from tests.e2e.offloaded import TENANT, read
from tests.e2e.workloads import SERVE, Shop, pod, shell, spec

BY_KIND = {
    "configmap": "configmap/settings",
    "secret": "secret/password",
    "service": "service/web",
    "ingress": "ingress/web",
}


@pytest.fixture
async def options(peered: dict[str, Site]) -> AsyncIterator[str]:
    async with own_options(peered["rome"]) as name:
        yield name


async def there(trade: Shop) -> set[str]:
    """Of what the tests make, that which is in Milan."""
    found = await trade.milan.kubectl(
        "get", *BY_KIND.values(), *trade.there, "--ignore-not-found", "-o", "name"
    )
    short = (each.replace(".networking.k8s.io", "") for each in found.split())
    return set(short)


async def annotate(trade: Shop, thing: str, *words: str) -> None:
    await trade.rome.kubectl("annotate", "--overwrite", thing, *trade.here, *words)


def every(kind_type: str, workers: int = 3) -> JSON:
    return {kind: {"workers": workers, "type": kind_type} for kind in BY_KIND}


@pytest.mark.row("L15")
async def test_policies_of_each_kind_and_of_each_object_count_at_once(
    trade: Shop, options: str
) -> None:
    rome, things = trade.rome, set(BY_KIND.values())
    await trade.put(config_map(), secret(), service(), ingress(), pod("web", spec(SERVE)))
    await trade.is_ready("web")
    await eventually(partial(there, trade), is_=things)
    before = await kubelets(rome)
    for thing in things:
        await annotate(trade, thing, "liqo.io/skip-reflection=true")
    await eventually(partial(there, trade), is_=set())
    for thing in things:
        await annotate(trade, thing, "liqo.io/skip-reflection=false")
    await eventually(partial(there, trade), is_=things)
    await change(rome, options, {"reflectorsConfig": every("AllowList")})
    await eventually(partial(there, trade), is_=set())
    for thing in things:
        await annotate(trade, thing, "liqo.io/allow-reflection=true")
    await eventually(partial(there, trade), is_=things)
    await change(rome, options, {"reflectorsConfig": every("DenyList", workers=0)})
    await eventually(partial(there, trade), is_=set())
    await change(rome, options, {"reflectorsConfig": every("DenyList")})
    await eventually(partial(there, trade), is_=things)
    marked = {*things, "pod/web"}
    for thing in marked:
        await rome.kubectl("label", thing, *trade.here, "colour=red", "size=big")
        await annotate(trade, thing, "note=mine", "secret-note=ours")
    withheld = {"labelsNotReflected": ["colour"], "annotationsNotReflected": ["secret-note"]}
    await change(rome, options, withheld)
    for thing in marked:
        await eventually(partial(marks, trade, thing), is_=(["size"], ["note"]))
    assert await kubelets(rome) == before


async def marks(trade: Shop, thing: str) -> tuple[list[str], list[str]]:
    """Which of the labels and annotations that the test gave are in Milan."""
    metadata = (await trade.theirs(thing))["metadata"]
    labels = [name for name in ("colour", "size") if name in metadata["labels"]]
    notes = [name for name in ("note", "secret-note") if name in metadata["annotations"]]
    return labels, notes


async def test_only_what_pods_mention_leaves_where_somebody_wants_it_so(
    trade: Shop, options: str
) -> None:
    mentioned = {kind: {"workers": 3, "type": "OnlyReferenced"} for kind in ("configmap", "secret")}
    await trade.put(config_map(), secret())
    await eventually(partial(there, trade), is_={"configmap/settings", "secret/password"})
    await change(trade.rome, options, {"reflectorsConfig": mentioned})
    await eventually(partial(there, trade), is_=set())
    source: JSON = {"envFrom": [{"configMapRef": {"name": "settings"}}]}
    await trade.put(pod("reading", spec(shell(**source))))
    await trade.is_ready("reading")
    assert await there(trade) == {"configmap/settings"}
    await trade.rome.kubectl("delete", "pod", "reading", *trade.here)
    await eventually(partial(there, trade), is_=set())


@pytest.mark.row("D08")
async def test_a_virtual_node_may_reflect_without_a_node(
    peered: dict[str, Site], trade: Shop
) -> None:
    """Of two kubelets the other is told to go, until it is this one's turn."""
    rome = peered["rome"]
    await put_node(rome, "quiet", {"createNode": False})
    try:
        await rolled_out(rome, "quiet")
        [quiet] = await kubelets(rome, "quiet")
        table = await rome.kubectl("get", NODES, "quiet", "-n", TENANT)
        headings, row = (line.split("  ") for line in table.splitlines())
        assert "CREATE NODE" in [each.strip() for each in headings]
        assert "false" in [each.strip() for each in row]
        assert not await rome.kubectl("get", "node", "quiet", "--ignore-not-found")
        await eventually(partial(given_way, rome, quiet), is_=quiet, within=120)
        await trade.put(config_map())
        await eventually(partial(there, trade), is_={"configmap/settings"})
        assert not await rome.kubectl("get", "node", "quiet", "--ignore-not-found")
    finally:
        await rome.kubectl("delete", NODES, "quiet", "-n", TENANT)
        await rolled_out(rome)


async def given_way(rome: Site, other: str) -> str:
    """Who reflects now; it is told to go, if it is not that other one."""
    leading = await holder(rome, REFLECTION)
    if leading != other:
        await rome.kubectl("delete", "pod", leading, "-n", TENANT, "--ignore-not-found")
    return leading


async def test_what_changes_while_the_turn_goes_to_another_kubelet_is_not_lost(
    peered: dict[str, Site], trade: Shop
) -> None:
    """Exactly one reflects: it is told to go while objects come, change and go."""
    rome = peered["rome"]
    await put_node(rome, "second", {})
    try:
        await rolled_out(rome, "second")
        both = partial(leader, rome, REFLECTION, "milan", "second")
        leading = await eventually(both, bool)
        await trade.put(config_map("kept", number="0"), config_map("gone"))
        await eventually(partial(numbers, trade), is_={"kept": "0", "gone": ""})
        await rome.kubectl("delete", "pod", leading, "-n", TENANT, "--wait=false")
        await trade.put(config_map("new", number="1"))
        await rome.kubectl("delete", "configmap/gone", *trade.here)
        await rome.kubectl(
            "patch", "configmap/kept", *trade.here, "--type=merge", '-p={"data":{"number":"2"}}'
        )
        await eventually(partial(numbers, trade), is_={"kept": "2", "new": "1"})
        await eventually(partial(holder, rome, REFLECTION), lambda now: now not in ("", leading))
    finally:
        await rome.kubectl("delete", NODES, "second", "-n", TENANT)
        await rolled_out(rome)


async def numbers(trade: Shop) -> dict[str, str]:
    ours = ("-l", "offloading.liqo.io/origin=rome", *trade.there)
    found = (await read(trade.milan, "configmaps", *ours))["items"]
    return {
        each["metadata"]["name"]: each["data"].get("number", "")
        for each in found
        if not each["metadata"]["name"].startswith("kube-root-ca")
    }
