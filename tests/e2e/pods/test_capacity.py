"""What a virtual node has room for, as people are told: sums, sizes, and who no longer fits."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from tests.e2e.eventually import eventually
from tests.e2e.installation import of
from tests.e2e.kubelets import NODES, PORT, change, kubelets, metrics, own_options, taken_over
from tests.e2e.liqoctl import Ended, liqoctl
from tests.e2e.loans import SLICES, done
from tests.e2e.offloaded import TENANT, read
from tests.e2e.workloads import Shop, controlled, pod, pool, shell, spec

SOON = timedelta(seconds=8)  # by the API server's clock, whenever we look: that is the machine's
LARGEST = "offloading.liqo.io/largest-pod"


@pytest.fixture(scope="module")
async def node(peered: dict[str, Site]) -> AsyncIterator[str]:
    """One of our own: 1 core and 512Mi were asked for, the rest are defaults."""
    async with pool(peered["rome"]) as name:
        yield name


def sized(name: str, node: str, cpu: str) -> JSON:
    asking = shell(resources={"requests": {"cpu": cpu}})
    return pod(name, spec(asking, nodeSelector={"kubernetes.io/hostname": node}))


async def explain(rome: Site, *words: str) -> Ended:
    return await liqoctl("explain", "capacity", *words, of(rome))


async def explained(rome: Site, node: str) -> JSON:
    told: JSON = json.loads(done(await explain(rome, node, "-o", "json")).stdout)
    return told


@asynccontextmanager
async def rolled(rome: Site, node: str, options: JSON) -> AsyncIterator[None]:
    """The kubelet of this node has these options, and decides."""
    async with own_options(rome, node) as name:
        before = await kubelets(rome, node)
        await change(rome, name, options)
        await taken_over(rome, before, node, node)
        yield


async def told_of_node(rome: Site, node: str) -> dict[str, str]:
    about = f"involvedObject.kind=Node,involvedObject.name={node}"
    events = await read(rome, "events", "-n", "default", "--field-selector", about)
    return {each["reason"]: each["message"] for each in events["items"]}


async def test_every_amount_says_where_it_comes_from(peered: dict[str, Site], node: str) -> None:
    rome = peered["rome"]
    said = done(await explain(rome, node)).stdout
    assert said.startswith(
        f'Virtual node "{node}" of cluster "milan", made of the ResourceSlice "{node}" of class '
        '"default"\n\ncpu 1 = asked for\n'
    )
    assert "\npods 110 = the provider's default\n" in said
    told = await explained(rome, node)
    assert (told["node"], told["cluster"], told["class"]) == (node, "milan", "default")
    assert told["resources"]["memory"]["granted"] == "512Mi"
    assert told["doesNotFit"] == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("turin", 'there is no virtual node "turin" (virtual nodes: milan, '),
        ("rome", 'the node "rome" is not virtual (virtual nodes: milan, '),
    ],
)
async def test_a_node_that_is_none_of_ours_is_an_error_with_the_next_step(
    peered: dict[str, Site], node: str, name: str, expected: str
) -> None:
    ended = await explain(peered["rome"], name)
    assert (ended.code, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f"ERRO: {expected}")
    assert "; see: kubectl " in ended.stderr


@pytest.fixture
async def small(peered: dict[str, Site], node: str) -> AsyncIterator[None]:
    """No node of the provider has more than a fifth of a core, as the virtual node says."""
    await says(peered["rome"], node, "cpu=200m")
    yield
    await says(peered["rome"], node, None)


async def says(rome: Site, node: str, largest: str | None) -> None:
    """How large a pod may be; None: nothing about it."""
    change = json.dumps({"spec": {"annotations": {LARGEST: largest}}})
    await rome.kubectl("patch", NODES, node, "-n", TENANT, "--type=merge", "-p", change)
    await eventually(
        partial(read, rome, f"node/{node}"),
        lambda seen: seen["metadata"]["annotations"].get(LARGEST) == largest,
    )


@pytest.mark.usefixtures("small")
async def test_a_pod_that_fits_on_no_single_node_is_told_so_and_goes_out_all_the_same(
    trade: Shop, node: str
) -> None:
    await trade.put(sized("large", node, "300m"), sized("fitting", node, "200m"))
    await trade.is_ready("large")
    await trade.is_ready("fitting")
    told = (await trade.told("large"))["TooLargeForOneNode"]
    assert told.startswith(
        'it asks for cpu 300m, and no single node of cluster "milan" lends more than 200m. '
    )
    assert told.endswith(f"liqoctl explain capacity {node}")
    assert "TooLargeForOneNode" not in await trade.told("fitting")
    await trade.remove("large", "fitting")


async def replicas(trade: Shop, app: str) -> list[str]:
    """All that were ever made and are still there, however they ended."""
    found = await read(trade.rome, "pods", "-l", f"app={app}", *trade.here)
    return [each["metadata"]["name"] for each in found["items"]]


@pytest.mark.usefixtures("small")
async def test_where_that_is_wanted_it_waits_at_home_and_starts_by_itself_when_it_fits(
    trade: Shop, node: str
) -> None:
    """One of a Deployment: who failed would be made again at once, and fail again."""
    async with rolled(trade.rome, node, {"extraArgs": ["--refuse-too-large-pods"]}):
        large = sized("large", node, "300m")["spec"]
        await trade.put(controlled("Deployment", "large", large), sized("fitting", node, "200m"))
        await trade.is_ready("fitting")
        [name] = await eventually(partial(replicas, trade, "large"), bool)
        words = await eventually(partial(accepted, trade, name), bool)
        assert words.startswith(
            'it asks for cpu 300m, and no single node of cluster "milan" lends more than 200m. '
        )
        assert (await trade.told(name))["TooLargeForOneNode"] == words
        assert (await trade.names("shadowpods"))[1] == {"shadowpod.offloading.liqo.io/fitting"}
        await says(trade.rome, node, "cpu=300m")
        await trade.is_ready(name)
        assert await accepted(trade, name) == ""
        assert await replicas(trade, "large") == [name]
        await trade.rome.kubectl("delete", "deployment", "large", *trade.here)
        await trade.remove("fitting")


async def ask(rome: Site, node: str, cpu: str) -> None:
    """Another amount, of the same slice."""
    patch = json.dumps({"spec": {"resources": {"cpu": cpu}}})
    await rome.kubectl("patch", SLICES, node, "-n", TENANT, "--type=merge", "-p", patch)


async def test_a_node_that_shrinks_says_which_pods_no_longer_fit_and_ends_none(
    trade: Shop, node: str
) -> None:
    rome = trade.rome
    await trade.put(sized("old", node, "300m"))
    await trade.is_ready("old")
    await trade.put(sized("new", node, "400m"))
    await trade.is_ready("new")
    await ask(rome, node, "500m")
    words = await eventually(partial(told_of_node, rome, node), lambda told: "NoLongerFits" in told)
    assert "(cpu: 500m for 700m)" in words["NoLongerFits"]
    assert words["NoLongerFits"].endswith(f"No longer fit: {trade.name}/new")
    told = await eventually(partial(trade.told, "new"), lambda told: "NoLongerFits" in told)
    assert "of cpu, this one asks for 400m, and older ones leave 200m" in told["NoLongerFits"]
    assert "NoLongerFits" not in await trade.told("old")
    for name in ("old", "new"):
        await trade.is_ready(name)
    known = await explained(rome, node)
    misfit = {"name": "new", "resource": "cpu", "asked": "400m", "left": "200m"}
    assert known["doesNotFit"] == [{"namespace": trade.name, **misfit}]
    assert (known["resources"]["cpu"]["inUse"], known["resources"]["cpu"]["left"]) == ("700m", "0")
    await trade.remove("old", "new")
    await ask(rome, node, "1")
    await eventually(
        partial(read, rome, f"node/{node}"),
        lambda seen: seen["status"]["allocatable"]["cpu"] == "1",
    )


async def refusals(trade: Shop, node: str) -> int:
    """How often pods of this namespace could not go out, as the kubelet counts."""
    series = (
        rf'reflection_error_counter{{.*namespace="{trade.name}",reflector_resource="Pod"}} (\d+)'
    )
    found = re.search(series, await metrics(trade.rome, node))
    return int(found[1]) if found else 0


async def accepted(trade: Shop, name: str) -> str:
    """What the pod says of its refusal; empty while it says none."""
    conditions = (await trade.ours(f"pod/{name}"))["status"].get("conditions", ())
    said = (each for each in conditions if each["type"] == "offloading.liqo.io/Accepted")
    return next((each["message"] for each in said), "")


async def test_a_pod_that_the_quota_refuses_starts_by_itself_when_there_is_room(
    trade: Shop, node: str
) -> None:
    """Bound by hand: a scheduler would not send it to a node that is full.

    It is refused for so long that by itself it would not be tried again for twenty-five seconds.
    """
    exceeded = "peering cpu quota usage exceeded - free 200m / requested 800m"
    counted = {"metricsEnabled": True, "metricsAddress": f":{PORT}"}
    async with rolled(trade.rome, node, counted):
        await trade.put(sized("first", node, "800m"))
        await trade.is_ready("first")
        second = sized("second", node, "800m")
        await trade.put(pod("second", {**second["spec"], "nodeName": node}))
        words = await eventually(partial(accepted, trade, "second"), lambda said: exceeded in said)
        assert words.startswith('cluster "milan": ')
        told = (await trade.told("second"))["FailedReflection"]
        assert told == f"Error reflecting object to {words}"
        await eventually(partial(refusals, trade, node), lambda times: times >= 10, within=120)
        await trade.rome.kubectl("delete", "pod", "first", *trade.here)
        room = datetime.now(UTC)
        shadow = await eventually(partial(trade.theirs, "shadowpod/second"), bool, within=15)
        stored = datetime.fromisoformat(shadow["metadata"]["creationTimestamp"])
        assert stored - room < SOON
        await trade.is_ready("second")
        assert await accepted(trade, "second") == ""
        await trade.remove("second")
