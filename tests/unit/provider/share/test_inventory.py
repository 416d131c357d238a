"""Which nodes count, whose pods are whose, and that both are followed."""

import pytest
from msgspec.structs import replace

from liqo.api import labels
from liqo.api.meta import Meta
from liqo.api.sizes import PodSize, SizedNode, SizedPod
from liqo.kube.listing import Listing
from liqo.provider.share.inventory import BOUND, Inventory, booking_of, room_of
from liqo.provider.share.ledger import Booking
from liqo.provider.watched import PHYSICAL_NODES
from liqo.rules.capacity import Free
from liqo.rules.quantity import NANO
from tests.unit.provider.share.test_ledger import Watched
from tests.unit.provider.share.things import a_node, a_pod, listed
from tests.unit.provider.things import holding


@pytest.mark.parametrize(
    ("node", "counts"),
    [
        (a_node("alpha", cpu=4), True),
        (a_node("alpha", cpu=4, ready=False), False),
        (a_node("alpha", cpu=4, closed=True), False),
        (SizedNode(metadata=Meta(name="new")), False),
    ],
)
def test_a_node_counts_that_is_ready_and_takes_pods(node: SizedNode, counts: bool) -> None:
    assert room_of(node) == ({"cpu": 4 * NANO} if counts else None)


@pytest.mark.parametrize(
    ("pod", "consumer"),
    [
        (a_pod("web", 1), ""),
        (a_pod("web", 1, origin="rome"), "rome"),
        (
            SizedPod(
                metadata=Meta(name="web", labels={labels.ORIGIN: "rome"}),
                spec=a_pod("web", 1).spec,
            ),
            "",  # a label that somebody copied: no consumer sent it
        ),
    ],
)
def test_a_pod_is_of_the_consumer_that_sent_it(pod: SizedPod, consumer: str) -> None:
    assert booking_of(pod) == Booking("alpha", {"cpu": NANO, "pods": NANO}, consumer)


@pytest.mark.parametrize(
    "pod",
    [
        a_pod("done", 1, phase="Succeeded"),
        a_pod("done", 1, phase="Failed"),
        SizedPod(metadata=Meta(name="new"), spec=PodSize()),
    ],
)
def test_what_has_ended_or_has_no_node_takes_nothing(pod: SizedPod) -> None:
    assert booking_of(pod) is None


async def test_what_comes_and_goes_is_told_when_it_makes_a_difference() -> None:
    here, told = holding(), list[int]()
    inventory = Inventory(here, lambda: told.append(len(told)))
    await listed(here, [a_node("alpha", cpu=10)], [a_pod("web", 4), a_pod("shop", 1, node="beta")])
    assert inventory.ledger.sums("rome") == {"cpu": Free(10 * NANO, 6 * NANO)}
    assert len(told) == 2  # beta does not count
    await listed(here, [], [], version=20)
    assert inventory.ledger.sums("rome") == {}
    assert len(told) == 3  # a node that is gone has none of its pods


async def test_a_thousand_pods_that_come_and_go_cost_no_look_at_the_other_nodes() -> None:
    here, quiet = holding(), Watched(cpu=NANO)
    inventory = Inventory(here, lambda: None)
    await listed(here, [a_node("alpha", cpu=10)])
    inventory.ledger.node("beta", quiet)
    before = quiet.reads
    pods = here.later(SizedPod, BOUND)
    for number in range(1000):
        phase = "Running" if number % 2 else "Succeeded"
        pod = a_pod(f"web-{number // 2 % 7}", 1, phase=phase)
        version = str(100 + number)
        pods.take(replace(pod, metadata=replace(pod.metadata, resource_version=version)))
    assert quiet.reads == before
    assert inventory.ledger.sums("rome")["cpu"] == Free(11 * NANO, 4 * NANO), "they were seen"


async def test_nodes_that_are_borrowed_are_not_even_followed() -> None:
    here = holding()
    Inventory(here, lambda: None)
    assert {str(each) for each in here} == {
        "Node (liqo.io/type!=virtual-node)",
        "Pod (spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed)",
    }


async def test_all_is_known_once_both_are_listed() -> None:
    here = holding()
    inventory = Inventory(here, lambda: None)
    seen = [inventory.is_known]
    await here.later(SizedNode, PHYSICAL_NODES).adopt(Listing([], "1"))
    seen.append(inventory.is_known)
    await here.later(SizedPod, BOUND).adopt(Listing([], "1"))
    assert [*seen, inventory.is_known] == [False, False, True]


async def test_what_nobody_needs_is_not_kept() -> None:
    here = holding()
    inventory = Inventory(here, lambda: None)
    inventory.close()
    assert list(here) == []
