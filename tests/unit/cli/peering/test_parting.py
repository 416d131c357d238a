"""What goes back, and what is said about it."""

from __future__ import annotations

import pytest

from liqo.api.meta import JSON
from liqo.api.offloading import VirtualNode
from liqo.cli.peering import parting
from liqo.errors import LiqoError
from tests.unit.cli.peering.pairs import HERE, an_object, methods, scene
from tests.unit.kube.scripted import a_list, refuses, says

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


async def test_r7_the_identity_is_gone_with_all_of_it_before_the_tenant_is_asked_to_go(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rome = [says({}), NONE, NONE, NONE]
    async with scene(rome=rome, milan=[says({}), NONE]) as world:
        await parting.part(world.pair, parting.Places(HERE, "liqo-tenant-rome"), wait=True)
    waited = sorted(each.path.split("?")[0].rsplit("/")[-1] for each in world.rome.asked[1:])
    assert waited == ["identities", "renews", "secrets"]
    assert methods(world.milan.asked) == ["DELETE", "GET"]
    assert capsys.readouterr().err.splitlines() == [
        "Deleting identity control plane",
        "INFO: Identity control plane correctly deleted",
        "Deleting tenant",
        "INFO: Tenant correctly deleted",
    ]


async def test_what_is_gone_already_is_told_so(capsys: pytest.CaptureFixture[str]) -> None:
    async with scene() as world:
        await parting.part(world.pair, parting.Places("", ""), wait=True)
    assert world.rome.asked + world.milan.asked == []
    told = capsys.readouterr().err
    assert "INFO: Identity control plane already deleted" in told
    assert "INFO: Tenant already deleted" in told


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
