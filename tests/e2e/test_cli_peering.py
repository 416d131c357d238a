"""peer, unpeer, authenticate: the real liqoctl on two real clusters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from liqo.api import labels
from liqo.api.authentication import Identity, ResourceSlice
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import ClusterRole, Namespace
from liqo.api.meta import Key
from liqo.api.offloading import VirtualNode
from liqo.playground.cluster import Site
from liqo.rules import names
from tests.e2e.controllers import Pair
from tests.e2e.eventually import eventually
from tests.e2e.liqoctl import Ended, liqoctl, ran
from tests.e2e.peering import Peering
from tests.e2e.snapshot import is_again, settled
from tests.golden import assert_golden

GOLDEN = Path(__file__).parent / "golden"


@dataclass(frozen=True)
class World:
    """Rome borrows from Milan."""

    peering: Peering
    rome: Site
    milan: Site

    @property
    def both(self) -> tuple[str, ...]:
        mine, other = str(self.rome.kubeconfig), str(self.milan.kubeconfig)
        return ("--kubeconfig", mine, "--remote-kubeconfig", other)

    async def run(self, verb: str, *words: str) -> Ended:
        return await liqoctl(verb, *self.both, *words)

    async def peer(self, *words: str) -> Ended:
        return await self.run("peer", "--networking-disabled", *words)


@pytest.fixture
def world(strangers: Pair, rome: Site, milan: Site) -> World:
    return World(strangers.peering, rome, milan)


async def exists(
    world: World, kind: type[VirtualNode | ResourceSlice | Identity], name: str
) -> bool:
    return await world.peering.consumer.find(kind, world.peering.here, name) is not None


@pytest.mark.part_of_row("C14", "H09")
async def test_peer_and_unpeer_say_and_leave_what_the_wire_fixes(world: World) -> None:
    peered = await world.peer()
    assert peered.code == 0
    assert peered.stdout == ""
    assert_golden(peered.stderr, GOLDEN / "peer.txt")
    await eventually(lambda: exists(world, VirtualNode, "milan"))
    again = await world.peer()
    assert (again.code, again.told) == (0, peered.told)
    ended = await world.run("unpeer")
    assert ended.code == 0
    assert_golden(ended.stderr, GOLDEN / "unpeer.txt")
    for side, peer in ((world.peering.consumer, "milan"), (world.peering.provider, "rome")):
        kept = await side.find(Namespace, "", names.tenant_namespace(peer))
        assert kept is not None


async def test_nothing_stays_with_delete_namespaces(world: World) -> None:
    before = [await settled(site) for site in (world.rome, world.milan)]
    assert (await world.peer()).code == 0
    ended = await world.run("unpeer", "--delete-namespaces")
    assert ended.code == 0, ended.stderr
    await is_again((world.rome, world.milan), before)


@pytest.mark.row("H10")
async def test_authenticate_alone_lets_us_ask_and_connects_nothing(world: World) -> None:
    done = await world.run("authenticate")
    assert done.code == 0
    assert done.told[-1] == "INFO: Identity status is filled"
    summary = await eventually(
        lambda: world.peering.consumer.find(ForeignCluster, "", "milan"),
        lambda found: bool(found and found.status and found.status.modules),
    )
    assert summary is not None
    assert summary.status is not None
    assert summary.status.modules is not None
    assert summary.status.modules.authentication.enabled
    assert not summary.status.modules.networking.enabled
    assert not await exists(world, ResourceSlice, "milan")
    ended = await world.run("unauth")
    assert ended.code == 0
    assert not await exists(world, Identity, world.peering.identity)


async def by_hand(world: World) -> None:
    """The handshake, carried by its user from one cluster to the other."""
    here = ("--kubeconfig", str(world.rome.kubeconfig), "--remote-cluster-id", "milan")
    there = ("--kubeconfig", str(world.milan.kubeconfig), "--remote-cluster-id", "rome")
    assert (await liqoctl("create", "nonce", *there)).code == 0
    nonce = (await liqoctl("get", "nonce", *there)).stdout
    tenant = await liqoctl("generate", "tenant", *here, "--nonce", nonce)
    await world.milan.kubectl("apply", "-f", "-", text=tenant.stdout)
    identity = await liqoctl("generate", "identity", *there)
    await world.rome.kubectl("apply", "-f", "-", text=identity.stdout)


@pytest.mark.row("C02")
async def test_a_slice_needs_authentication_however_that_came_about(world: World) -> None:
    ours = ("--kubeconfig", str(world.rome.kubeconfig), "--remote-cluster-id", "milan")
    ask = ("create", "resourceslice", "mypool", *ours)
    early = await liqoctl(*ask)
    assert early.code == 1
    assert "liqoctl authenticate" in early.told[-1]
    ways = (partial(world.run, "authenticate"), world.peer, partial(by_hand, world))
    for enable in ways:
        await enable()
        granted = await liqoctl(*ask)
        assert granted.code == 0, granted.stderr
        assert granted.told[-1] == "INFO: ResourceSlice resources: Accepted"
        assert (await world.run("unpeer")).code == 0


@pytest.mark.row("H08")
async def test_a_kubeconfig_is_named_before_or_after_the_verb_or_in_the_environment(
    world: World,
) -> None:
    mine, rest = str(world.rome.kubeconfig), ("--dry-run", "--remote-kubeconfig")
    there = (*rest, str(world.milan.kubeconfig))
    forms = [
        await liqoctl("--kubeconfig", mine, "peer", *there),
        await liqoctl(f"--kubeconfig={mine}", "peer", *there),
        await liqoctl("peer", "--kubeconfig", mine, *there),
        await liqoctl("peer", f"--kubeconfig={mine}", *there),
        await liqoctl("peer", *there, environment={"KUBECONFIG": mine}),
    ]
    assert [form.code for form in forms] == [0] * 5
    assert len({form.stdout for form in forms}) == 1
    assert '# in the local cluster, "rome"' in forms[0].stdout
    assert await world.peering.consumer.find(Namespace, "", world.peering.here) is None


async def test_r15_what_the_provider_complains_about_ends_the_wait(world: World) -> None:
    provider = world.peering.provider
    role = Key("", "liqo-remote-controlplane")
    unnamed = {"metadata": {"labels": {labels.APP_NAME: "nothing"}}}
    await provider.cluster.patch(ClusterRole.KIND, role, unnamed, how="merge")
    try:
        refused = await world.peer()
    finally:
        named = {"metadata": {"labels": {labels.APP_NAME: "remote-controlplane"}}}
        await provider.cluster.patch(ClusterRole.KIND, role, named, how="merge")
    assert refused.code == 1
    assert refused.told[-1].startswith(
        "ERRO: Unable to ensure authentication: the Tenant "
        '"liqo-tenant-rome/rome" of the remote cluster is not admitted: ClusterRolesBindingFailed'
    )
    assert (await world.peer()).code == 0


async def test_r19_a_provider_that_forgot_everything_is_peered_with_again(world: World) -> None:
    assert (await world.peer()).code == 0
    assert (await world.run("unpeer")).code == 0
    await world.milan.kubectl("delete", "namespace", world.peering.there)
    assert (await world.peer()).code == 0


async def test_a_class_that_nobody_answers_for_is_told(world: World) -> None:
    done = await world.peer("--resource-slice-class", "nobodys")
    assert done.code == 0
    assert done.told[-1].startswith("WARN: ResourceSlice resources not accepted")
    assert "nobodys" in done.told[-1]


@pytest.mark.row("H01", "H02", "J01")
async def test_a_printed_command_peers_and_its_end_leaves_nothing(world: World) -> None:
    before = [await settled(site) for site in (world.rome, world.milan)]
    there = ("--kubeconfig", str(world.milan.kubeconfig))
    here = {"KUBECONFIG": str(world.rome.kubeconfig)}
    for _ in range(2):  # who left is let in again
        printed = await liqoctl("generate", "peer-command", "--only-command", *there)
        assert (printed.code, printed.stderr) == (0, "")
        assert printed.stdout.startswith("liqoctl peer out-of-band milan --auth-url https://")
        assert printed.stdout.count("\n") == 1
        peered = await ran("bash", text=printed.stdout, environment=here)
        assert peered.code == 0, peered.stderr
        assert peered.told[-1] == "INFO: ResourceSlice resources: Accepted"
        await eventually(lambda: exists(world, VirtualNode, "liqo-milan"))
        summary = ("get", "foreignclusters", "milan", "--no-headers")
        await eventually(
            partial(world.rome.kubectl, *summary), lambda line: line.split()[1] == "OutOfBand"
        )
        ended = await liqoctl("unpeer", "out-of-band", "milan", environment=here)
        assert ended.code == 0, ended.stderr
        assert [line for line in ended.told if not line.startswith("INFO")] == []
        await is_again((world.rome, world.milan), before)


async def test_a_printed_command_is_good_for_one_cluster_and_its_owner_may_repeat_it(
    world: World,
) -> None:
    there = ("--kubeconfig", str(world.milan.kubeconfig))
    printed = await liqoctl("generate", "peer-command", *there)
    here = {"KUBECONFIG": str(world.rome.kubeconfig)}
    for _ in range(2):
        peered = await ran("bash", text=printed.stdout, environment=here)
        assert peered.code == 0, peered.stderr
