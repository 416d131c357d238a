"""What goes back, and what is said about it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from liqo.api.meta import JSON
from liqo.api.offloading import VirtualNode
from liqo.cli.peering import parting
from liqo.errors import LiqoError
from tests.unit.cli.peering.pairs import HERE, THERE, an_object, methods, scene
from tests.unit.kube.scripted import Asked, a_list, refuses, says

NONE = a_list(version="1")
SLICE = NODE = an_object("milan", HERE)


@pytest.mark.parametrize(
    ("nodes", "told"), [([], "No virtualnodes found"), ([NODE], "All virtualnodes deleted")]
)
async def test_what_was_lent_goes_back_in_order(
    nodes: list[JSON], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A node that went with its slice, before its turn came, is told as any other."""
    before, slices = a_list(*nodes, version="1"), a_list(SLICE, version="1")
    answers = [before, slices, says({}), NONE, NONE, NONE]
    async with scene(rome=answers) as world:
        await parting.return_what_was_lent(world.loan, wait=True)
    assert capsys.readouterr().err.splitlines() == [
        "Deleting resourceslices",
        "INFO: All resourceslices deleted",
        "Waiting for resource slices to be deleted",
        "INFO: Ensured resourceslices absence",
        "Deleting virtualnodes",
        f"INFO: {told}",
        "Waiting for virtual nodes to be deleted",
        "INFO: Ensured virtualnodes absence",
    ]
    assert methods(world.rome.asked) == ["GET", "GET", "DELETE", "GET", "GET", "GET"]
    assert "liqo.io%2FremoteID%3Dmilan" in world.rome.asked[1].path


async def test_who_does_not_wait_asks_for_the_end_and_goes_on() -> None:
    async with scene(rome=[NONE, a_list(SLICE, version="1"), says({}), NONE]) as world:
        await parting.return_what_was_lent(world.loan, wait=False)
    assert methods(world.rome.asked) == ["GET", "GET", "DELETE", "GET"]


async def test_slices_that_are_left_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    left = a_list(SLICE, version="1")
    async with scene(rome=[left, left, NONE]) as world:
        with pytest.raises(LiqoError, match=f"are still present on consumer cluster: {HERE}/milan"):
            await parting.no_slices_left(world.loan)
        await parting.no_slices_left(world.loan, tolerate=True)
        await parting.no_slices_left(world.loan)
    told = capsys.readouterr().err.splitlines()
    assert told.count("INFO: No leftover resourceslices on consumer cluster") == 2


SECRET = "kubeconfig-controlplane-milan"
USUAL, OTHER = (an_object(name, HERE) for name in (SECRET, "by-hand"))


def owned(name: str, kind: str, owner: str) -> JSON:
    reference = {"apiVersion": "any/v1", "kind": kind, "name": owner, "uid": "1"}
    return an_object(name, HERE, metadata={"ownerReferences": [reference]})


def deleted(asked: Sequence[Asked]) -> list[str]:
    """The kinds and names, in this order."""
    paths = [each.path.split("?")[0] for each in asked if each.method == "DELETE"]
    return ["/".join(path.rsplit("/", 2)[1:]) for path in paths]


@pytest.mark.parametrize(
    ("kubeconfigs", "dropped"),
    [
        ([owned(SECRET, "Identity", "controlplane-milan")], []),
        ([owned("any", "Identity", "by-hand")], ["identities/by-hand"]),
        ([USUAL], [f"secrets/{SECRET}"]),
        ([OTHER, owned("sealed", "SealedSecret", "x")], ["secrets/by-hand", "secrets/sealed"]),
        ([], []),
    ],
)
async def test_the_credentials_of_a_control_plane_go_whoever_made_them(
    kubeconfigs: list[JSON], dropped: list[str]
) -> None:
    gone = [says({})] * (1 + len(dropped))
    async with scene(rome=[a_list(*kubeconfigs, version="1"), *gone, *[NONE] * 3]) as world:
        await parting.drop_identity(world.loan, HERE, wait=True)
    assert deleted(world.rome.asked) == ["identities/controlplane-milan", *dropped]


async def test_the_end_of_an_identity_is_waited_for_with_all_of_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with scene(rome=[NONE, says({}), NONE, NONE, NONE]) as world:
        await parting.drop_identity(world.loan, HERE, wait=True)
    waited = sorted(each.path.split("?")[0].rsplit("/")[-1] for each in world.rome.asked[2:])
    assert waited == ["identities", "renews", "secrets"]
    assert capsys.readouterr().err.splitlines() == [
        "Deleting identity control plane",
        "INFO: Identity control plane correctly deleted",
    ]


@pytest.mark.parametrize("name", ["rome", "by-hand"])
async def test_a_tenant_goes_whatever_its_name(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = an_object(name, THERE, spec={"clusterID": "rome"})
    others = an_object("other", THERE, spec={"clusterID": "naples"})
    async with scene(milan=[a_list(others, ours, version="1"), says({}), NONE]) as world:
        await parting.drop_tenant(world.pair, THERE, wait=True)
    assert deleted(world.milan.asked) == [f"tenants/{name}"]
    assert methods(world.milan.asked) == ["GET", "DELETE", "GET"]
    assert capsys.readouterr().err.splitlines() == [
        "Deleting tenant",
        "INFO: Tenant correctly deleted",
    ]


async def test_what_is_gone_already_is_told_so(capsys: pytest.CaptureFixture[str]) -> None:
    async with scene() as world:
        await parting.drop_identity(world.loan, "", wait=True)
        await parting.drop_tenant(world.pair, "", wait=True)
    assert world.rome.asked + world.milan.asked == []
    told = capsys.readouterr().err
    assert "INFO: Identity control plane already deleted" in told
    assert "INFO: Tenant already deleted" in told


async def test_copies_that_this_user_may_not_see_are_not_waited_for() -> None:
    async with scene(milan=[NONE, refuses(403), refuses(403)]) as world:
        await parting.copies_gone(world.pair, THERE)
    assert methods(world.milan.asked) == ["GET"] * 3


async def test_a_kind_that_a_cluster_does_not_know_has_no_objects() -> None:
    async with scene(rome=[refuses(404), refuses(403)]) as world:
        for _ in range(2):
            scope = parting.of_peer("milan")
            found = await parting.find_all(world.pair.consumer, VirtualNode, scope)
            assert found == []


@pytest.mark.parametrize(("role", "mutual"), [("Provider", False), ("ConsumerAndProvider", True)])
async def test_two_that_borrow_from_each_other_are_mutual(role: str, mutual: bool) -> None:
    summary = an_object("milan", spec={"clusterID": "milan"}, status={"role": role})
    async with scene(rome=[a_list(summary, version="1")]) as world:
        assert await parting.is_mutual(world.pair.consumer, "milan") is mutual
