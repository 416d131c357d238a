"""Pods that are too large for any single node of the provider."""

from __future__ import annotations

from dataclasses import replace

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.offloading import VirtualNode, VirtualNodeSpec
from liqo.kubelet.pods.fit import LOOK_AGAIN, excess, let_pass, oversized, turned_away
from liqo.kubelet.pods.forge import shadow_pod
from liqo.kubelet.pods.plan import State, plan
from liqo.kubelet.pods.rejection import COMPONENT, warned
from liqo.kubelet.pods.status import ACCEPTED
from liqo.rules.fit import Shortage
from liqo.rules.quantity import parse
from liqo.runtime.plan import Create, PatchStatus, do
from tests.unit.kubelet.pods.things import BOUND, NOW, PLACE, SITE, a_pod, asking, running

SHORT = Shortage("nvidia.com/gpu", parse("2"), parse("1"))
FACTS = 'it asks for nvidia.com/gpu 2, and no single node of cluster "milan" lends more than 1'


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


WHY = f"{FACTS}. It goes there when one has; ask for less, or see: liqoctl explain capacity milan"
TURNED_AWAY = {
    "type": ACCEPTED,
    "status": "False",
    "reason": "TooLargeForOneNode",
    "message": WHY,
    "lastTransitionTime": "2026-11-15T10:18:00Z",
}
WAITING = {**BOUND, "conditions": [*BOUND["conditions"], TURNED_AWAY]}


def test_who_is_turned_away_says_why_and_keeps_its_phase() -> None:
    local = a_pod()
    told, patch = turned_away(local, SHORT, SITE, NOW)
    assert told == warned(local, "TooLargeForOneNode", WHY)
    assert patch == PatchStatus(local, {"conditions": [TURNED_AWAY]}, form="strategic")


@pytest.mark.parametrize(
    ("pod", "note", "passes"),
    [
        (a_pod(WAITING, asking("30")), "cpu=25", False),
        (a_pod(WAITING, asking("30")), "cpu=30", True),
        (a_pod(WAITING, asking("30")), "", True),
        (a_pod(BOUND, asking("30")), "cpu=30", False),
        (a_pod(running(), asking("30")), "cpu=30", False),
    ],
)
def test_who_was_turned_away_passes_when_it_fits(pod: Pod, note: str, passes: bool) -> None:
    assert let_pass([pod], saying(note)) == ((pod.key,) if passes else ())


# What is done for such a pod: the row of the decision table.

REFUSING = replace(SITE, refuses_too_large=True)


def test_it_is_told_and_goes_out_all_the_same() -> None:
    local = a_pod()
    offer = Create(shadow_pod(local, "shop-rome", SITE), on="remote")
    large = State(SITE, NOW, local, place=PLACE, excess=SHORT)
    assert plan(large) == do(oversized(local, SHORT, SITE), offer)


def test_it_waits_at_home_where_such_pods_are_refused() -> None:
    local = a_pod()
    large = State(REFUSING, NOW, local, place=PLACE, excess=SHORT)
    assert plan(large) == do(*turned_away(local, SHORT, REFUSING, NOW), wake_after=LOOK_AGAIN)


def test_while_it_waits_nothing_is_written_again() -> None:
    waiting = a_pod(WAITING)
    large = State(REFUSING, NOW, waiting, place=PLACE, excess=SHORT)
    said = warned(waiting, "TooLargeForOneNode", WHY)  # an Event that is told once, as any
    assert plan(large) == do(said, wake_after=LOOK_AGAIN)


def test_it_goes_out_as_soon_as_it_fits() -> None:
    waiting = a_pod(WAITING)
    fits = State(REFUSING, NOW, waiting, place=PLACE)
    assert plan(fits) == do(Create(shadow_pod(waiting, "shop-rome", SITE), on="remote"))


def test_one_that_ran_already_is_never_refused() -> None:
    ran = a_pod(running())
    large = State(REFUSING, NOW, ran, place=PLACE, excess=SHORT)
    assert plan(large) == do(Create(shadow_pod(ran, "shop-rome", SITE), on="remote"))
