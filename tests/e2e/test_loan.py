"""One command makes a node of another cluster, and one takes it away: the tables, and their words.

Rome borrows from Turin here, whom no other test needs.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from functools import partial

import pytest

from liqo.playground.cluster import Site
from liqo.rules.quantity import parse
from tests.e2e.eventually import eventually
from tests.e2e.installation import of
from tests.e2e.liqoctl import Ended, liqoctl
from tests.e2e.loans import Loan, done
from tests.e2e.offloaded import condition, read

VIRTUAL = "--selector=liqo.io/type=virtual-node"
SLICES = "resourceslices.authentication.liqo.io"
A_FEW_SECONDS = 10.0


@pytest.fixture(scope="module")
async def loan(installed: dict[str, Site]) -> AsyncIterator[Loan]:
    """With the one command that is enough."""
    made = Loan(installed["rome"], installed["turin"])
    try:
        done(await liqoctl("peer", *made.both))
        yield made
    finally:
        await made.unpeer("--delete-namespaces")


async def is_ready(loan: Loan, node: str = "turin") -> None:
    look = partial(condition, loan.consumer, f"node/{node}", "Ready")
    await eventually(look, is_="True", within=120)


@pytest.mark.row("A01", "H09", "K05")
async def test_one_command_is_enough_for_a_node_that_is_ready(loan: Loan) -> None:
    await is_ready(loan)
    table = await loan.consumer.kubectl("get", "node", VIRTUAL, "--show-labels")
    heading, *lines = table.splitlines()
    assert heading.split() == ["NAME", "STATUS", "ROLES", "AGE", "VERSION", "LABELS"]
    [line] = [each for each in lines if each.startswith("turin ")]
    _, status, roles, _, version, labels = line.split()
    assert (status, roles, version[:3]) == ("Ready", "agent", "v1.")
    assert {"liqo.io/remote-cluster-id=turin", "liqo.io/type=virtual-node"} <= set(
        labels.split(",")
    )


@pytest.mark.row("A03")
async def test_the_resources_of_the_consumer_span_both_clusters(loan: Loan) -> None:
    await is_ready(loan)
    columns = "custom-columns=N:.metadata.name,CPU:.status.allocatable.cpu"
    listed = (await loan.consumer.kubectl("get", "nodes", "-o", columns)).splitlines()
    amounts = dict(line.split() for line in listed[1:])
    own = (await read(loan.consumer, "node/rome"))["status"]["allocatable"]["cpu"]
    assert (amounts["rome"], amounts["turin"]) == (own, "4")


@pytest.mark.row("H03", "H04")
async def test_the_table_of_clusters_shows_a_peering_in_one_direction(loan: Loan) -> None:
    wanted = {"TYPE": "OutOfBand", "NETWORKING": "Disabled", "AUTHENTICATION": "Established"}
    outgoing = {"OUTGOING PEERING": "Established", "INCOMING PEERING": "None"}
    incoming = {"OUTGOING PEERING": "None", "INCOMING PEERING": "Established"}
    await eventually(partial(peering, loan.consumer, "turin"), is_={**wanted, **outgoing})
    await eventually(partial(peering, loan.provider, "rome"), is_={**wanted, **incoming})


async def peering(site: Site, name: str) -> dict[str, str]:
    """The line of a cluster, by its headings, but for its name and its age."""
    heading, line = (await site.kubectl("get", "foreignclusters", name)).splitlines()
    columns = [each.strip() for each in heading.split("  ") if each.strip()]
    assert columns[0] == "NAME"
    assert columns[-1] == "AGE"
    words = line.split()[1:-1]
    if len(words) != len(columns[1:-1]):
        return {}  # fewer than columns, until all is known: then that is not what is waited for
    return dict(zip(columns[1:-1], words, strict=True))


@pytest.mark.row("L05")
async def test_from_a_slice_to_a_node_it_takes_a_few_seconds(loan: Loan) -> None:
    """By the clock of the API server; a machine that is busy elsewhere has some tries."""
    for name in ("quick", "quicker", "quickest", "swift", "swifter"):
        await ask(loan, name)
        await is_ready(loan, name)
        if (took := await seconds_to_a_node(loan, name)) < A_FEW_SECONDS:
            break
        done(await liqoctl("delete", "resourceslice", name, of(loan.consumer)))  # less to do
    assert took < A_FEW_SECONDS


async def seconds_to_a_node(loan: Loan, name: str) -> float:
    asked = await read(loan.consumer, f"{SLICES}/{name}", "-n", loan.here)
    node = await read(loan.consumer, f"node/{name}")
    [ready] = [each for each in node["status"]["conditions"] if each["type"] == "Ready"]
    began, ended = asked["metadata"]["creationTimestamp"], ready["lastTransitionTime"]
    return (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds()


async def ask(loan: Loan, name: str, *words: str) -> Ended:
    where = ("--remote-cluster-id=turin", of(loan.consumer))
    return done(await liqoctl("create", "resourceslice", name, *where, *words))


@pytest.mark.row("A02")
async def test_a_node_is_that_which_is_shared_and_not_all_that_there_is(loan: Loan) -> None:
    await ask(loan, "part", "--cpu=1", "--memory=512Mi", "--pods=7")
    await is_ready(loan, "part")
    described = await loan.consumer.kubectl("describe", "node", "part")
    shown = section(described, "Capacity:")
    assert (shown["cpu"], shown["memory"], shown["pods"]) == ("1", "512Mi", "7")
    assert section(described, "Allocatable:") == shown
    whole = (await read(loan.provider, "node/turin"))["status"]["allocatable"]
    for name in ("cpu", "memory", "pods"):
        assert parse(shown[name]) < parse(whole[name])


def section(described: str, title: str) -> dict[str, str]:
    """The indented lines below a title of `kubectl describe`."""
    lines = described.splitlines()
    below = lines[lines.index(title) + 1 :]
    end = next(index for index, line in enumerate(below) if not line.startswith(" "))
    pairs = (line.split(":") for line in below[:end])
    return {name.strip(): value.strip() for name, value in pairs}


@pytest.mark.row("D01", "D03")
async def test_a_virtual_node_by_hand_is_as_large_as_its_slice(loan: Loan) -> None:
    """The name stands after the flags, as in the seed."""
    await ask(loan, "mypool", "--cpu=3", "--memory=1Gi")
    ended = await new_node(loan, "--resource-slice-name", "mypool", "mynode")
    assert ended.told == ["INFO: Virtual node created", "INFO: Node mynode is Ready"]
    granted = (await read(loan.consumer, f"{SLICES}/mypool", "-n", loan.here))["status"][
        "resources"
    ]
    status = (await read(loan.consumer, "node/mynode"))["status"]
    assert status["capacity"] == status["allocatable"] == granted
    assert granted["cpu"] == "3"


@pytest.mark.row("D02")
async def test_a_virtual_node_is_made_of_a_secret(loan: Loan) -> None:
    await ask(loan, "otherpool")
    secret = "kubeconfig-resourceslice-otherpool"
    await new_node(loan, "--kubeconfig-secret-name", secret, "othernode")
    offered = {"cpu": "2", "memory": "4Gi", "pods": "110"}
    assert (await read(loan.consumer, "node/othernode"))["status"]["capacity"] == offered


async def new_node(loan: Loan, *words: str) -> Ended:
    start = ("create", "virtualnode", "--remote-cluster-id", "turin")
    return done(
        await liqoctl(*start, *words, environment={"KUBECONFIG": str(loan.consumer.kubeconfig)})
    )


@pytest.mark.row("J02")
async def test_virtual_nodes_go_with_the_peering(installed: dict[str, Site]) -> None:
    """Those that were made by hand as well."""
    other = Loan(installed["turin"], installed["milan"])
    nodes = partial(
        other.consumer.kubectl, "get", "node", "-l", "liqo.io/type=virtual-node", "-o", "name"
    )
    await other.peer()
    try:
        where = ("--remote-cluster-id=milan", "--resource-slice-name=milan", of(other.consumer))
        done(await liqoctl("create", "virtualnode", *where, "more"))
        await is_ready(other, "milan")
        assert set((await nodes()).split()) == {"node/milan", "node/more"}
    finally:
        await other.unpeer("--delete-namespaces")
    assert await nodes() == ""
