"""Peerings that come and go: the same every time, whatever happens meanwhile, and nothing stays."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from random import sample

import pytest

from liqo.playground import faults
from liqo.playground.cluster import Site
from liqo.rules import names
from tests.e2e.eventually import eventually
from tests.e2e.liqoctl import Ended, interrupted, killed, liqoctl
from tests.e2e.loans import SLICES, Loan, Things, at_once, done, end_all, made_between
from tests.e2e.snapshot import differences, is_again, settled, snapshot

ROUNDS = 3  # one of each disturbance
SOAK_ROUNDS = 20
FEW_STEPS = 3  # at which a command is killed; all of them with --soak
CONTROLLERS = ("--namespace=liqo", "-l", "app.kubernetes.io/name=controller-manager")
NAMESPACE = ("ConfigMap/kube-root-ca.crt", "ServiceAccount/default")  # in every one
OURS = ("RoleBinding/liqo-controller-manager", "RoleBinding/liqo-webhook")  # in a tenant namespace


def things(peer: str, *own: str) -> set[str]:
    """The tenant namespace of a peer, with all that is in every one; and its ForeignCluster."""
    home = names.tenant_namespace(peer)
    inside = (entry.partition("/") for entry in (*NAMESPACE, *OURS, *own))
    return {
        f"ForeignCluster /{peer}",
        f"Namespace /{home}",
        *(f"{kind} {home}/{name}" for kind, _, name in inside),
    }


BORROWED = {
    "ClusterRoleBinding /liqo-node-milan",
    "RoleBinding kube-node-lease/liqo-node-milan",
    *things(
        "milan",
        "Deployment/vk-milan",
        "Identity/controlplane-milan",
        "Identity/resourceslice-milan",
        "NamespaceMap/milan",
        "Renew/controlplane-milan",
        "ResourceSlice/milan",
        "Role/liqo-node-milan-credential",
        "RoleBinding/liqo-node-milan",
        "RoleBinding/liqo-node-milan-credential",
        "Secret/kubeconfig-controlplane-milan",
        "Secret/kubeconfig-resourceslice-milan",
        "Secret/liqo-signed-nonce",
        "ServiceAccount/milan",
        "VirtualNode/milan",
    ),
}
LENT = {
    "ClusterRoleBinding /liqo-binding-liqo-virtual-kubelet-remote-clusterwide-rome",
    *things(
        "rome",
        "NamespaceMap/milan",
        "Quota/milan-a8a4c692b93b",
        "Renew/controlplane-milan",
        "ResourceSlice/milan",
        "RoleBinding/liqo-binding-liqo-remote-controlplane",
        "Secret/liqo-nonce",
        "Secret/liqo-remote-certificate",
        "Secret/liqo-remote-certificate-milan",
        "Tenant/rome",
    ),
}
# Less than with the original: a nonce is good for one Tenant, so that the consumer forgets it (S2)
# and the provider makes a new one; a certificate goes with what it was issued for (R2).
KEPT = [things("milan"), things("rome", "Secret/liqo-nonce")]
pytestmark = pytest.mark.timeout(3600)  # many peerings, one after the other


@pytest.fixture
async def sites(installed: dict[str, Site]) -> AsyncIterator[list[Site]]:
    """Rome, Milan and Turin, without any peering before and after."""
    cities = [installed[name] for name in ("rome", "milan", "turin")]
    try:
        yield cities
    finally:
        await end_all(cities)


@pytest.fixture
async def loan(sites: list[Site]) -> AsyncIterator[Loan]:
    made = Loan(sites[0], sites[1])
    try:
        yield made
    finally:
        await made.heal()


async def undisturbed(words: Sequence[str], at: str, loan: Loan) -> Ended:
    return await liqoctl(*words)


async def without_controllers(words: Sequence[str], at: str, loan: Loan) -> Ended:
    """Those of both clusters are killed while it runs."""

    async def kill() -> None:
        for site in (loan.consumer, loan.provider):
            await site.kubectl("delete", "pod", *CONTROLLERS, "--force", "--wait=false")

    return await interrupted(at, kill, *words)


async def without_a_link(words: Sequence[str], at: str, loan: Loan) -> Ended:
    """The clusters do not reach each other until it waits for what one tells the other."""
    await loan.cut()
    return await interrupted(at, loan.heal, *words)


DISTURBANCES = (undisturbed, without_controllers, without_a_link)
Disturbance = Callable[[Sequence[str], str, Loan], Awaitable[Ended]]


async def made(loan: Loan, before: Sequence[Things]) -> list[Things]:
    """All that a peering consists of, once it is complete and nobody adds to it any more."""
    await eventually(
        partial(loan.made_since, before), lambda found: list(map(set, found)) == [BORROWED, LENT]
    )
    return made_between(before, await loan.settled())


def are_alike(one: Sequence[Things], other: Sequence[Things], when: str = "") -> None:
    assert [differences(*each) for each in zip(one, other, strict=True)] == [{}, {}], when


async def test_it_is_the_same_every_time_and_nothing_stays(
    loan: Loan, request: pytest.FixtureRequest
) -> None:
    rounds = SOAK_ROUNDS if request.config.getoption("--soak", default=False) else ROUNDS
    before = await loan.settled()
    seen = []
    for number in range(rounds):
        disturbed: Disturbance = DISTURBANCES[number % len(DISTURBANCES)]
        done(await disturbed(loan.making, "INFO: ResourceSlice created", loan))
        seen.append(await made(loan, before))
        ending = (*loan.ending, "--delete-namespaces")
        done(await disturbed(ending, "INFO: All resourceslices deleted", loan))
        await loan.is_as(before)
    for each in seen:
        are_alike(seen[0], each)


def steps(request: pytest.FixtureRequest, said: Ended) -> Sequence[int]:
    """Each line of what it says, but the last, is a step: a few of them, by chance, or all."""
    every = range(1, len(said.stderr.splitlines()))
    soak = request.config.getoption("--soak", default=False)
    return every if soak else sorted(sample(every, FEW_STEPS))


async def test_a_peer_that_was_killed_at_any_step_is_taken_up_by_the_next(
    loan: Loan, request: pytest.FixtureRequest
) -> None:
    before = await loan.settled()
    said = await loan.peer()
    whole = await made(loan, before)
    for line in steps(request, said):
        await loan.unpeer("--delete-namespaces")
        await loan.is_as(before)
        assert await killed(line, *loan.making)
        await loan.peer()
        are_alike(whole, await made(loan, before), f"killed after {line} lines")


async def test_an_unpeer_that_was_killed_at_any_step_is_taken_up_by_the_next(
    loan: Loan, request: pytest.FixtureRequest
) -> None:
    before = await loan.settled()
    await loan.peer()
    ending = (*loan.ending, "--delete-namespaces")
    for line in steps(request, done(await liqoctl(*ending))):
        await loan.peer()
        assert await killed(line, *ending), f"it did not come to {line} lines"
        done(await liqoctl(*ending))
        await loan.is_as(before)


async def test_a_link_that_is_cut_for_good_keeps_nobody_from_leaving(loan: Loan) -> None:
    """Whoever unpeers reaches both clusters; they do not reach each other, before or after."""
    before = await loan.settled()
    await loan.peer()
    await made(loan, before)
    await loan.cut()
    ended = await loan.unpeer("--delete-namespaces")
    warned = [line for line in ended.told if line.startswith("WARN: ")]
    assert [line.endswith("goes with its Tenant") for line in warned] == [True]
    await loan.is_as(before)


async def test_a_plain_unpeer_keeps_the_place_and_peering_again_fills_it(loan: Loan) -> None:
    before = await loan.settled()
    for _ in range(2):
        await loan.peer()
        await made(loan, before)
        await loan.unpeer()
        await eventually(
            partial(loan.made_since, before), lambda found: list(map(set, found)) == KEPT
        )
        for site, peer in ((loan.consumer, loan.lender), (loan.provider, loan.borrower)):
            await eventually(partial(roles, site), is_={peer: "Unknown"})
    await loan.unpeer("--delete-namespaces")
    await loan.is_as(before)


async def test_a_provider_that_does_not_answer_is_left_and_can_be_peered_with_again(
    loan: Loan,
) -> None:
    before = await loan.settled()
    await loan.peer()
    api_server = faults.target(loan.provider, "kube-apiserver")
    await faults.pause(api_server)
    try:
        ended = await loan.unpeer("--delete-namespaces")
        assert ended.told[-1].startswith('WARN: the provider "milan" was not told: there stay')
        left = partial(added, loan.consumer, before[0])
        await eventually(left, is_={"Secret liqo/liqo-tombstone-milan"})
    finally:
        await faults.resume(api_server)
    await loan.peer()
    await loan.appears()
    await loan.unpeer("--delete-namespaces")
    await loan.is_as(before)


@pytest.mark.part_of_row("L23")
async def test_each_borrows_from_the_other_and_one_may_stop(loan: Loan) -> None:
    back = Loan(loan.provider, loan.consumer)
    before = await loan.settled()
    await at_once(loan.peer(), back.peer())
    for each in (loan, back):
        await each.works()
    peered = await loan.settled()
    refused = await liqoctl(*loan.ending, "--delete-namespaces")
    assert refused.code == 1
    assert refused.told == [
        "ERRO: cannot delete the tenant namespace when a bidirectional is enabled, please remove "
        "the --delete-namespaces flag"
    ]
    await loan.is_as(peered)
    await loan.unpeer()
    await back.ask("more")
    await back.appears("more")
    assert await slices_of(loan) == []
    await back.unpeer("--delete-namespaces")
    await loan.is_as(before)


async def test_three_borrow_in_a_circle(sites: list[Site]) -> None:
    rome, milan, turin = sites
    circle = [Loan(rome, milan), Loan(milan, turin), Loan(turin, rome)]
    before = await at_once(*map(settled, sites))
    await at_once(*(each.peer() for each in circle))
    for each in circle:
        await each.appears()
    for site, consumer, provider in (
        (rome, "turin", "milan"),
        (milan, "rome", "turin"),
        (turin, "milan", "rome"),
    ):
        await eventually(partial(roles, site), is_={consumer: "Consumer", provider: "Provider"})
    broken, *others = circle
    await broken.unpeer("--delete-namespaces")
    for each in others:
        await each.ask("more")
        await each.appears("more")
    await at_once(*(each.unpeer("--delete-namespaces") for each in others))
    await is_again(sites, before)


async def roles(site: Site) -> dict[str, str]:
    listed = json.loads(await site.kubectl("get", "foreignclusters", "-o", "json"))["items"]
    return {each["metadata"]["name"]: each.get("status", {}).get("role") for each in listed}


async def added(site: Site, before: Things) -> set[str]:
    return (await snapshot(site)).keys() - before.keys()


async def slices_of(loan: Loan) -> list[str]:
    """That the consumer still asks for."""
    own = ("-n", loan.here, "-l", f"liqo.io/remoteID={loan.lender}")
    return (await loan.consumer.kubectl("get", SLICES, *own, "-o", "name")).split()
