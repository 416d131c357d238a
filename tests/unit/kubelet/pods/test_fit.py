"""Pods that are too large for any single node of the provider."""

from __future__ import annotations

from dataclasses import replace

import pytest

from liqo.api import labels
from liqo.api.offloading import VirtualNode, VirtualNodeSpec
from liqo.kubelet.pods.fit import excess, oversized, turned_away
from liqo.kubelet.pods.forge import shadow_pod
from liqo.kubelet.pods.plan import State, plan
from liqo.kubelet.pods.rejection import COMPONENT
from liqo.rules.fit import Shortage
from liqo.rules.quantity import parse
from liqo.runtime.plan import Create, do
from tests.unit.kubelet.pods.things import BOUND, NOW, PLACE, SITE, a_pod, asking, running

SHORT = Shortage("nvidia.com/gpu", parse("2"), parse("1"))
FACTS = 'it asks for nvidia.com/gpu 2, and no single node of cluster "milan" has more than 1 free'


def saying(note: str) -> VirtualNode:
    return VirtualNode(spec=VirtualNodeSpec(annotations={labels.LARGEST_POD: note}))


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (saying("cpu=25"), Shortage("cpu", parse("30"), parse("25"))),
        (saying("cpu=30"), None),
        (VirtualNode(), None),
        (None, None),
    ],
)
def test_what_is_too_much_is_found_where_the_node_says_how_much_there_is(
    node: VirtualNode | None, expected: Shortage | None
) -> None:
    assert excess(a_pod(BOUND, asking("30")), node) == expected


def test_the_owner_is_told_the_numbers_and_what_to_do() -> None:
    told = oversized(a_pod(), SHORT, SITE)
    assert (told.type, told.reason, told.component) == ("Warning", "TooLargeForOneNode", COMPONENT)
    assert told.message.startswith(FACTS)
    assert told.message.endswith("or see: liqoctl explain capacity milan")


def test_who_is_turned_away_fails_as_on_any_kubelet() -> None:
    told, patch = turned_away(a_pod(), SHORT, SITE)
    assert patch.status == {
        "phase": "Failed",
        "reason": "OutOfnvidia.com/gpu",
        "message": told.message,
    }
    assert told.message.startswith(f"Pod was rejected: {FACTS}")
    assert told.reason == "TooLargeForOneNode"


# What is done for such a pod: the row of the decision table.

REFUSING = replace(SITE, refuses_too_large=True)


def test_it_is_told_and_goes_out_all_the_same() -> None:
    local = a_pod()
    offer = Create(shadow_pod(local, "shop-rome", SITE), on="remote")
    large = State(SITE, NOW, local, place=PLACE, excess=SHORT)
    assert plan(large) == do(oversized(local, SHORT, SITE), offer)


def test_it_is_refused_where_such_pods_are_not_wanted() -> None:
    local = a_pod()
    large = State(REFUSING, NOW, local, place=PLACE, excess=SHORT)
    assert plan(large) == do(*turned_away(local, SHORT, REFUSING))
    rejected = a_pod(turned_away(local, SHORT, REFUSING)[1].status)
    assert plan(replace(large, local=rejected)) == do()


def test_one_that_ran_already_is_never_refused() -> None:
    ran = a_pod(running())
    large = State(REFUSING, NOW, ran, place=PLACE, excess=SHORT)
    assert plan(large) == do(Create(shadow_pod(ran, "shop-rome", SITE), on="remote"))
