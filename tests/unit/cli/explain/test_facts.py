"""Which virtual node is meant, and what is said when there is none of that name."""

from __future__ import annotations

import pytest

from liqo.api.offloading import VirtualNode
from liqo.cli.explain.facts import Facts, find, only, unknown
from liqo.errors import LiqoError
from liqo.kube.access import Access
from liqo.kube.cluster import Cluster
from tests.unit.cli.answers import thing, things
from tests.unit.cli.explain.things import SHARED, a_node, a_pod, a_slice, by_hand
from tests.unit.kube.scripted import Answer, refuses, scripted

NODE = a_node(SHARED)
MISSING = refuses(404, "not found", "NotFound")


async def found(*answers: Answer, name: str = "milan") -> tuple[Facts, list[str]]:
    async with scripted(*answers) as server, Cluster(Access(server.access.server)) as cluster:
        return await find(cluster, name, ""), [each.path for each in server.asked]


async def test_the_node_is_found_with_its_slice_and_its_pods() -> None:
    pod, granted = a_pod("web", "1"), a_slice(SHARED)
    facts, asked = await found(things(NODE), things(pod), thing(granted))
    assert facts == Facts(NODE, granted, (), (pod,))
    assert "fieldSelector=spec.nodeName%3Dmilan" in asked[1]
    assert asked[2].endswith("/namespaces/liqo-tenant-milan/resourceslices/milan")


@pytest.mark.parametrize("name", ["milan", "milan-2"])
async def test_a_second_node_of_the_slice_is_found_with_the_first_and_its_pods(name: str) -> None:
    both, granted = (NODE, by_hand(SHARED)), a_slice(SHARED)
    own, other = a_pod("own", "1"), a_pod("other", "2")
    script = (things(*both), things(own), thing(granted), things(other))
    facts, asked = await found(*script, name=name)
    [node] = [each for each in both if each.metadata.name == name]
    [beside] = [each.metadata.name for each in both if each.metadata.name != name]
    assert facts == Facts(node, granted, (beside,), (own,), (other,))
    assert f"nodeName%3D{name}&" in asked[1]
    assert f"nodeName%3D{beside}&" in asked[3]


async def test_a_slice_that_is_gone_or_never_was_is_none() -> None:
    facts, _ = await found(things(NODE), things(), MISSING)
    assert (facts.granted, facts.slice_name) == (None, "milan")
    by_hand = a_node(SHARED, made_of="")
    facts, asked = await found(things(by_hand), things())
    assert (facts, len(asked)) == (Facts(by_hand), 2)


async def test_a_node_that_is_not_virtual_or_not_there_is_an_error() -> None:
    with pytest.raises(LiqoError, match='the node "rome" is not virtual'):
        await found(things(NODE), thing({"metadata": {"name": "rome"}}), name="rome")
    with pytest.raises(LiqoError, match='there is no virtual node "rome"'):
        await found(things(NODE), MISSING, name="rome")


@pytest.mark.parametrize(
    ("known", "is_real", "expected"),
    [
        (
            [NODE],
            False,
            'there is no virtual node "x" (virtual nodes: milan); see: kubectl get nodes '
            "-l liqo.io/type=virtual-node",
        ),
        (
            [NODE],
            True,
            'the node "x" is not virtual (virtual nodes: milan); see: kubectl describe node x',
        ),
        (
            [],
            False,
            'there is no virtual node "x", nor any other; borrow from a cluster with: liqoctl peer',
        ),
    ],
)
def test_the_error_says_what_there_is_and_what_to_do(
    known: list[VirtualNode], is_real: bool, expected: str
) -> None:
    assert str(unknown("x", known, is_real=is_real)) == expected


def test_of_two_namesakes_one_must_be_chosen() -> None:
    assert only("milan", [NODE, a_node(SHARED, name="turin")]) == NODE
    with pytest.raises(LiqoError, match="choose with --namespace"):
        only("milan", [NODE, NODE])
