"""Virtual nodes that leave while a budget holds a pod: it is waited for, and nothing is left."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from functools import partial
from uuid import uuid4

import pytest

from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from liqo.rules import names
from tests.e2e.eventually import ENDING, eventually
from tests.e2e.kubelets import NODES, kubelets, taken_over
from tests.e2e.loans import SLICES, Loan
from tests.e2e.offloaded import TENANT, condition, mapped, read
from tests.e2e.workloads import SERVE, Shop, pod, spec
from tests.observer import Observer

SHADOWS = "shadowpods.offloading.liqo.io"
IDENTITIES = "identities.authentication.liqo.io"
MAPS = "namespacemaps.offloading.liqo.io"
POOL = "pool-of-turin"  # before "turin": of two that are deleted in one second, the second is last


async def test_a_node_that_is_not_wanted_any_more_keeps_its_kubelet_until_its_pods_have_left(
    trade: Shop,
) -> None:
    rome, name = trade.rome, f"pool-{uuid4().hex[:6]}"
    await Loan(rome, trade.milan).ask(name)
    try:
        await is_ready(rome, name)
        async with observed(trade, name) as seen:
            await trade.put(on(name, "plain"), on(name, "guarded"), budget("guarded"))
            for each in ("plain", "guarded"):
                await trade.is_ready(each)
            await seen.settled()
            before = await kubelets(rome, name)
            seen.take(await uid(trade, "plain"))
            unwanted = json.dumps({"spec": {"createNode": False}})
            await rome.kubectl("patch", NODES, name, "-n", TENANT, "--type=merge", "-p", unwanted)
            await eventually(partial(found, rome, "pod/plain", *trade.here), is_="")
            await seen.settled()
            seen.check()
            assert await kubelets(rome, name) == before, "it still has to see to the other one"
            assert "--create-node=true" in await arguments(rome, name)
            await release(trade, seen, "guarded")
            await eventually(partial(found, rome, f"node/{name}"), is_="")
            await taken_over(rome, before, name, name)
            assert "--create-node=false" in await arguments(rome, name)
            assert await found(rome, f"node/{name}") == ""
            await seen.settled()
            seen.check()
        assert await trade.milan.kubectl("get", f"{SHADOWS},pods", *trade.there, "-o", "name") == ""
    finally:
        await rome.kubectl("delete", "poddisruptionbudget", "--all", *trade.here)
        await rome.kubectl("delete", SLICES, name, "-n", TENANT, "--ignore-not-found")
    await eventually(partial(found, rome, f"{NODES}/{name}", "-n", TENANT), is_="", within=ENDING)


async def test_a_kubelet_that_starts_anew_after_its_slice_is_gone_still_sees_its_pods_out(
    trade: Shop,
) -> None:
    """The credential of the slice stays for as long as somebody needs it, and no longer."""
    rome, name, where = trade.rome, f"pool-{uuid4().hex[:6]}", ("-n", TENANT)
    identity = names.slice_identity(name)
    await Loan(rome, trade.milan).ask(name)
    try:
        await is_ready(rome, name)
        async with observed(trade, name) as seen:
            await trade.put(on(name, "guarded"), budget("guarded"))
            await trade.is_ready("guarded")
            await seen.settled()
            before = await kubelets(rome, name)
            await rome.kubectl("delete", SLICES, name, *where, "--wait=false")
            await eventually(partial(found, rome, f"{IDENTITIES}/{identity}", *where), is_="")
            await rome.kubectl("delete", "pod", *before, *where)
            await taken_over(rome, before, name, name)
            await seen.settled()
            seen.check()
            await release(trade, seen, "guarded")
            await eventually(partial(found, rome, f"{NODES}/{name}", *where), is_="")
            await seen.settled()
            seen.check()
        secret = f"secret/{names.kubeconfig_secret(identity)}"
        await eventually(partial(found, rome, secret, *where), is_="")
    finally:
        await rome.kubectl("delete", "poddisruptionbudget", "--all", *trade.here)
        await rome.kubectl("delete", SLICES, name, *where, "--ignore-not-found")


@pytest.fixture
async def pair(peered: dict[str, Site]) -> AsyncIterator[Loan]:
    """Rome borrows from Turin as well, as two nodes; the other one is called POOL."""
    loan = Loan(peered["rome"], peered["turin"])
    await loan.peer()
    try:
        await loan.ask(POOL)
        for node in ("turin", POOL):
            await is_ready(loan.consumer, node)
        yield loan
    finally:
        await loan.unpeer("--delete-namespaces")


@pytest.mark.parametrize(("sooner", "later"), [(POOL, "turin"), ("turin", POOL)])
async def test_what_two_of_a_provider_share_goes_with_the_last_of_them(
    pair: Loan, sooner: str, later: str
) -> None:
    """And not with the one whose pods are gone sooner: the namespaces there would go with it.

    POOL is deleted first.
    """
    rome, where = pair.consumer, ("-n", pair.here)
    trade = Shop(rome, pair.provider, f"shop-{uuid4().hex[:6]}")
    async with mapped(rome, trade.name), observed(trade, later) as seen:
        for node in (POOL, "turin"):
            await trade.put(on(node, f"on-{node}"), budget(f"on-{node}"))
            await trade.is_ready(f"on-{node}")
        await seen.settled()
        for node in (POOL, "turin"):
            await rome.kubectl("delete", SLICES, node, *where, "--wait=false")
            await eventually(partial(leaves, rome, node, *where))
        await release(trade, seen, f"on-{sooner}")
        await eventually(partial(found, rome, f"node/{sooner}"), is_="")
        if sooner == POOL:  # else it waits for the other one
            await eventually(partial(found, rome, f"{NODES}/{sooner}", *where), is_="")
        await seen.settled()
        seen.check()
        assert await found(rome, f"{MAPS}/turin", *where)
        assert "deletionTimestamp" not in (await twin(trade))["metadata"]
        await release(trade, seen, f"on-{later}")
        left = ("get", f"{NODES},{MAPS}", *where, "-o", "name")
        await eventually(partial(rome.kubectl, *left), is_="", within=ENDING)
        there = partial(found, trade.milan, f"namespace/{trade.name}-rome")
        await eventually(there, is_="", within=ENDING)
        await seen.settled()
        seen.check()


def observed(trade: Shop, node: str) -> Observer:
    return Observer(trade.rome, trade.milan, {trade.name: f"{trade.name}-rome"}, node)


def on(node: str, name: str) -> JSON:
    """It takes a moment to end, as most do."""
    fields = {"nodeSelector": {"kubernetes.io/hostname": node}, "terminationGracePeriodSeconds": 1}
    plain = pod(name, spec(SERVE, **fields))
    return {**plain, "metadata": {"name": name, "labels": {"app": name}}}


def budget(name: str) -> JSON:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": name}}},
    }


async def release(trade: Shop, seen: Observer, name: str) -> None:
    """The pod may be evicted from now on."""
    seen.take(await uid(trade, name))
    await trade.rome.kubectl("delete", f"poddisruptionbudget/{name}", *trade.here)


async def uid(trade: Shop, name: str) -> str:
    known: str = (await trade.ours(f"pod/{name}"))["metadata"]["uid"]
    return known


async def is_ready(rome: Site, node: str) -> None:
    await eventually(partial(condition, rome, f"node/{node}", "Ready"), is_="True")


async def leaves(rome: Site, node: str, *where: str) -> bool:
    return "deletionTimestamp" in (await read(rome, f"{NODES}/{node}", *where))["metadata"]


async def twin(trade: Shop) -> JSON:
    return await read(trade.milan, f"namespace/{trade.name}-rome")


async def arguments(rome: Site, node: str) -> str:
    """Of the kubelet that there should be."""
    path = "jsonpath={.spec.template.spec.containers[0].args}"
    return await rome.kubectl("get", f"deployment/vk-{node}", "-n", TENANT, "-o", path)


async def found(site: Site, what: str, *where: str) -> str:
    return await site.kubectl("get", what, *where, "--ignore-not-found", "-o", "name")
