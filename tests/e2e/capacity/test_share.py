"""Shares: the numbers of the seed, and that they follow what happens and what is decided."""

from __future__ import annotations

import json
import time
from functools import partial

import pytest

from liqo.api.authentication import ResourceSlice
from liqo.api.kubernetes import ConfigMap, Node
from liqo.api.meta import JSON, Key
from liqo.cli.playground.installing import fingerprint, product
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.playground.cluster import Site
from liqo.rules import keys, names
from tests.e2e.borrower import Borrower
from tests.e2e.capacity.market import ABROAD, CPU, GPU, Market, a_pod
from tests.e2e.eventually import eventually
from tests.e2e.installation import of
from tests.e2e.liqoctl import liqoctl
from tests.e2e.loans import done
from tests.e2e.offloaded import mapped, read

AT_ONCE = 2.0  # seconds
AT_MOST = 10.0  # on a machine that is busy elsewhere
OTHER_GPU = "amd.com/gpu"


@pytest.mark.row("B01", "B02", "B03", "B04", "L01")
async def test_the_numbers_of_the_seed(market: Market) -> None:
    await market.becomes(CPU, "90")
    assert (await market.room())["memory"] == "360Gi"
    async with market.with_pod(cpu=50):
        await market.becomes(CPU, "45")
    await market.becomes(CPU, "90")
    async with market.with_nodes(cpu="100"):
        await market.becomes(CPU, "180")
    async with market.with_nodes(cpu="1", gpu="1"):
        await market.becomes(GPU, "0")
    await market.becomes(GPU, None)
    await market.becomes(CPU, "90")


@pytest.mark.row("B05")
async def test_every_resource_of_a_node_is_shared(market: Market) -> None:
    rare = {"ephemeral-storage": "100Gi", "hugepages-2Mi": "200Mi", "example.com/fpga": "20"}
    async with market.with_nodes(cpu="10", memory="100Gi", gpu="10", **rare):
        await market.becomes(GPU, "9")
        room = await market.room()
    assert room == {
        CPU: "99",
        "memory": "450Gi",
        "pods": "990",
        "ephemeral-storage": "90Gi",
        "hugepages-2Mi": "180Mi",
        "example.com/fpga": "18",
        GPU: "9",
    }


@pytest.mark.row("B07")
async def test_a_single_gpu_is_none_and_both_clusters_say_so(market: Market) -> None:
    """Of a maker that no other test knows: what was told is not told again for ten minutes."""
    why = f"{OTHER_GPU} 0 = floor(0.9 × 1): use at-least-one"
    sides = ((market.rome, market.loan.here), (market.milan, market.loan.there))
    for site, home in sides:
        earlier = await market.events(site, home, "RoundedToZero")
        assert not any(why in each for each in earlier)
    async with market.with_nodes(**{CPU: "1", OTHER_GPU: "1"}):
        await market.becomes(OTHER_GPU, "0")
        for site, home in sides:
            assert why in (await market.told(site)).split("\n")
            await market.is_told(site, home, "RoundedToZero", why)
        async with market.deciding(rounding="at-least-one"):
            await market.becomes(OTHER_GPU, "1")
    await market.becomes(OTHER_GPU, None)


async def test_four_nodes_with_a_gpu_each_are_three_or_four(market: Market) -> None:
    async with market.with_nodes(4, cpu="1", gpu="1"):
        await market.becomes(GPU, "3")
        async with market.deciding(rounding="ceil"):
            await market.becomes(GPU, "4")
        await market.becomes(GPU, "3")


async def test_what_fits_on_one_node_stands_on_the_virtual_one(market: Market) -> None:
    async def largest() -> dict[str, str]:
        node = await read(market.rome, "node/milan")
        text = node["metadata"]["annotations"]["offloading.liqo.io/largest-pod"]
        return dict(pair.split("=") for pair in text.split(","))

    # All that is free is on one node, and nine tenths of it are granted.
    await eventually(largest, is_={"cpu": "90", "memory": "360Gi"})
    async with market.with_nodes(cpu="150"):
        await eventually(largest, lambda seen: seen["cpu"] == "150")


@pytest.mark.row("B10")
async def test_what_a_consumer_runs_does_not_shrink_its_node(market: Market) -> None:
    """And what the provider runs does, as always: nothing else was missed meanwhile."""
    rome, milan = market.rome, market.milan
    await market.becomes(CPU, "90")
    async with mapped(rome, "crowd"):
        await put(rome, a_pod("ten", "crowd", 10, **ABROAD))
        where = "jsonpath={.items[*].spec.nodeName}"
        there = partial(milan.kubectl, "get", "pods", "-n", "crowd-rome", "-o", where)
        await eventually(there, is_="milan-kwok-0")
        async with market.with_pod(cpu=50):
            await market.becomes(CPU, "45")
        await market.becomes(CPU, "90")
    await eventually(there, is_="")


async def test_a_provider_that_lends_less_ends_nothing_and_takes_no_more(market: Market) -> None:
    """Until it lends as much again: what waited meanwhile starts by itself."""
    rome, crowd = market.rome, "squeezed"
    await market.becomes(CPU, "90")
    async with mapped(rome, crowd):
        await put(rome, a_pod("ten", crowd, 10, **ABROAD))
        await eventually(partial(phase, rome, "ten", crowd), is_="Running")
        before = await in_milan(market, crowd)
        async with market.deciding(percentage="5"):
            await market.becomes(CPU, "5")
            whole = "less than the pods of this node ask for (cpu: 5 for 10). Nothing is ended"
            await market.is_told(rome, "default", "NoLongerFits", whole)
            its = "of cpu, this one asks for 10, and older ones leave 5. It is not ended"
            await market.is_told(rome, crowd, "NoLongerFits", its)
            # Bound by hand: a scheduler would not send it to a node that is full.
            await put(rome, a_pod("two", crowd, 2, nodeName="milan", **ABROAD))
            free = "peering cpu quota usage exceeded - free 0 / requested 2 (of 5 in all)"
            asking = partial(refusal, rome, "two", crowd)
            words = await eventually(asking, lambda said: said.endswith(free))
            assert words.startswith('cluster "milan": ')
            assert await phase(rome, "ten", crowd) == "Running"
            assert await phase(rome, "two", crowd) == "Pending"
            assert await in_milan(market, crowd) == before
        await eventually(partial(phase, rome, "two", crowd), is_="Running")
        assert before.items() < (await in_milan(market, crowd)).items()
    await market.becomes(CPU, "90")
    await eventually(partial(in_milan, market, crowd), is_={})


async def put(rome: Site, pod: JSON) -> None:
    await rome.kubectl("create", "-f", "-", text=json.dumps(pod))


async def phase(rome: Site, pod: str, namespace: str) -> str:
    path = "jsonpath={.status.phase}"
    return await rome.kubectl("get", "pod", pod, "-n", namespace, "-o", path)


async def refusal(rome: Site, pod: str, namespace: str) -> str:
    """Why it was not taken, as the pod says it itself; empty while it does not."""
    kind = "offloading.liqo.io/Accepted"
    path = f'jsonpath={{.status.conditions[?(@.type=="{kind}")].message}}'
    return await rome.kubectl("get", "pod", pod, "-n", namespace, "-o", path)


async def in_milan(market: Market, namespace: str) -> dict[str, str]:
    """The uids of those that run there, and stay: who was ended and made anew has another."""
    found = (await read(market.milan, "pods", "-n", f"{namespace}-rome"))["items"]
    known = [each["metadata"] for each in found if each["status"]["phase"] == "Running"]
    return {each["name"]: each["uid"] for each in known if "deletionTimestamp" not in each}


@pytest.mark.row("B06")
async def test_a_percentage_is_changed_while_all_goes_on(market: Market) -> None:
    before = await running(market.milan)
    tag = fingerprint(await product(print))
    same = ("--set", f"tag={tag}", "--set", "webhook.replicas=1")
    upgrade = ("upgrade", "playground", of(market.milan), *same)
    done(await liqoctl(*upgrade, "--sharing-percentage=50"))
    await market.becomes(CPU, "50")
    done(await liqoctl(*upgrade))
    await market.becomes(CPU, "90")
    assert await running(market.milan) == before


async def running(milan: Site) -> set[str]:
    """The pods of the installation, without those that an earlier upgrade has ended."""
    metadata = [each["metadata"] for each in (await read(milan, "pods", "-n", "liqo"))["items"]]
    return {each["name"] for each in metadata if "deletionTimestamp" not in each}


async def test_a_change_is_on_the_node_within_two_seconds(market: Market) -> None:
    """From before it is written. A machine that is busy elsewhere has six tries; none is slow."""
    rome, milan = (from_kubeconfig(str(site.kubeconfig)) for site in (market.rome, market.milan))
    async with Cluster(rome) as home, Cluster(milan) as abroad:
        for percentage in ("80", "75", "70", "65", "60", "55"):
            await market.becomes(CPU, "90")
            async with market.deciding():
                took = await seconds_until(home, abroad, percentage)
            assert took <= AT_MOST
            if took <= AT_ONCE:
                break
    assert took <= AT_ONCE


async def seconds_until(home: Cluster, abroad: Cluster, percentage: str) -> float:
    """Of a hundred cores: with both clusters connected, and without the start of a kubectl."""

    async def shown() -> str:
        return (await home.get(Node, Key("", "milan"))).status["allocatable"]["cpu"]

    assert await shown() == "90"
    change, settings = {"data": {"percentage": percentage}}, Key("liqo", names.SHARING)
    began = time.monotonic()
    await abroad.patch(ConfigMap.KIND, settings, change, how="merge")
    await eventually(shown, is_=percentage)
    return time.monotonic() - began


@pytest.mark.row("B08")
async def test_one_percentage_is_for_all_peers_but_for_those_that_have_their_own(
    market: Market,
) -> None:
    async with Cluster(from_kubeconfig(str(market.milan.kubeconfig))) as milan:
        turin = Borrower("turin", keys.new_key(tls_compatible=False), milan)

        async def granted() -> object:
            return (await turin.get(ResourceSlice, "other")).status.resources.get(CPU)

        try:
            await turin.ask_in()
            async with turin.at(await turin.admitted()) as there:
                await turin.replicate(there, "other", **{"class": "share"})
            async with market.deciding(percentage="40"):
                await market.becomes(CPU, "40")
                await eventually(granted, is_="40")
            async with market.deciding(percentage_turin="20"):
                await eventually(granted, is_="20")
                await market.becomes(CPU, "90")
            await eventually(granted, is_="90")
        finally:
            await turin.leave()


@pytest.mark.parametrize("percentage", ["0", "101", "abc"])
async def test_what_is_no_percentage_changes_nothing_and_is_told(
    market: Market, percentage: str
) -> None:
    async with market.deciding(percentage="80"):
        await market.becomes(CPU, "80")
        await market.decide(percentage=percentage)
        await market.is_told(
            market.milan, "liqo", "InvalidSetting", f"percentage: {quoted(percentage)}"
        )
        assert (await market.room())[CPU] == "80"
        refused = await liqoctl(
            "upgrade", "playground", of(market.milan), f"--sharing-percentage={percentage}"
        )
        assert refused.code != 0
        assert "--sharing-percentage" in refused.stderr
        # By now whoever would have believed either of them has had the time to.
        assert (await market.room())[CPU] == "80"


def quoted(percentage: str) -> str:
    return percentage if percentage == "0" else f'"{percentage}"'


async def test_a_provider_without_nodes_lends_nothing_and_says_why(market: Market) -> None:
    await market.milan.kubectl("cordon", "milan-kwok-0")
    try:
        await market.becomes(CPU, "0")
        assert "no node is ready and takes pods" in await market.told(market.rome)
    finally:
        await market.milan.kubectl("uncordon", "milan-kwok-0")
    await market.becomes(CPU, "90")
