"""The rows of the decision table that are about nodes of one provider: pods that move between them,
and nodes that leave."""

from __future__ import annotations

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON, Meta
from liqo.api.offloading import VirtualNode
from liqo.kubelet.pods.controller import home, observe, offering
from liqo.kubelet.pods.fit import LOOK_AGAIN
from liqo.kubelet.pods.orphans import FORSAKEN, LATE, Alone, Orphans
from liqo.kubelet.pods.plan import State
from liqo.kubelet.pods.rejection import rejected, warned
from liqo.kubelet.pods.room import Room
from liqo.rules.changes import Made
from liqo.runtime.plan import Delete, PatchStatus, do
from tests.unit.kubelet.pods.test_controller import around, views
from tests.unit.kubelet.pods.test_plan import TAKEN, decided, offer, status_of, withdrawn
from tests.unit.kubelet.pods.things import (
    BOUND,
    GOING,
    NOW,
    PLACE,
    SITE,
    a_pod,
    a_remote,
    a_shadow,
    marks,
    recorded,
    running,
)

KEY = a_pod().key
OTHER = VirtualNode(
    metadata=Meta(name="milan-2", namespace=SITE.tenant_namespace, resource_version="1")
)
ELSEWHERE: JSON = {"labels": marks(**{labels.NODE_NAME: "milan-2"})}


def test_P_RACE4_a_pod_that_comes_from_another_node_of_ours_starts_anew() -> None:
    shadow = a_shadow(**ELSEWHERE, annotations={}, creation_timestamp="2026-11-15T10:17:00Z")
    local = a_pod(creation_timestamp="2026-11-15T10:17:54Z")
    assert decided(local, shadow) == withdrawn(shadow)
    assert decided(local) == do(offer(local))


@pytest.mark.parametrize("status", [None, running()], ids=["never ran", "ran"])
def test_P_RACE4_a_kubelet_that_hears_late_does_not_end_the_next_pod_of_another_node(
    status: JSON | None,
) -> None:
    late = a_pod(status, uid="local-0", creation_timestamp="2026-11-15T10:17:00Z")
    theirs = a_shadow(**ELSEWHERE, creation_timestamp="2026-11-15T10:17:54Z")
    told = do(warned(late, "FailedReflection", TAKEN))
    assert decided(late, theirs) == decided(late, theirs, a_remote(**ELSEWHERE)) == told


def test_P_RACE4_a_pod_whose_next_runs_on_another_node_of_ours_goes_without_it() -> None:
    local = a_pod(running(), uid="local-0", deletion_timestamp=GOING)
    later = a_shadow(**ELSEWHERE)
    assert decided(local, later, a_remote(**ELSEWHERE)) == do(Delete(local, grace=0))
    assert decided(local, later) == do(Delete(local, grace=0))


def test_a_pod_that_never_ran_does_not_leave_the_twin_of_an_earlier_one_behind() -> None:
    local = a_pod(deletion_timestamp=GOING, uid="local-2", creation_timestamp=GOING)
    earlier = a_shadow(**ELSEWHERE, creation_timestamp="2026-11-15T10:17:00Z")
    assert decided(local, earlier, a_remote(**ELSEWHERE)) == withdrawn(earlier)


def test_a_node_that_leaves_sends_nothing_out_and_what_is_out_goes_on() -> None:
    """Whoever comes next, as the next pod of a DaemonSet does, would be left behind there."""
    local = a_pod()
    assert decided(local, is_leaving=True) == do(wake_after=LOOK_AGAIN)
    out = a_pod(running())
    shown = decided(out, a_shadow(), a_remote(status=running()), is_leaving=True)
    assert shown == decided(out, a_shadow(), a_remote(status=running()))
    lost = decided(out, is_leaving=True)
    assert lost == decided(out), "it is made again: nobody may have been allowed to evict it"
    assert lost.actions
    gone = decided(None, a_shadow(), is_leaving=True, alone=Alone(NOW - LATE))
    assert gone == withdrawn(a_shadow())


def test_what_another_node_of_ours_asked_for_is_only_withdrawn() -> None:
    local = a_pod(uid="local-2", creation_timestamp="2026-11-15T10:17:54Z")
    theirs = a_shadow(**ELSEWHERE, creation_timestamp="2026-11-15T10:17:00Z")
    assert decided(local, theirs, a_remote(**recorded(Made()))) == do(Delete(theirs, on="remote"))


async def test_pods_of_another_node_of_ours_concern_us_where_we_have_one_of_their_name() -> None:
    assert home(await views(OTHER), a_shadow(**ELSEWHERE)) == (KEY,)
    assert home(await views(OTHER, local=None), a_shadow(**ELSEWHERE)) == ()
    assert home(await views(OTHER, local=None), a_shadow()) == (KEY,)
    assert home(await views(OTHER, local=None), a_remote(labels={})) == (KEY,), "nobody's"


# Another node of ours is no more, and left something there.


def test_what_a_node_of_ours_left_there_that_is_no_more_is_ended_by_those_that_are_left() -> None:
    """Its kubelet could not while the provider was away, and went."""
    left = a_shadow(**ELSEWHERE)
    long_ago, now = (Alone(since, is_forsaken=True) for since in (NOW - FORSAKEN, NOW))
    gone = decided(None, left, a_remote(**ELSEWHERE), alone=long_ago)
    assert gone == withdrawn(left)
    early = do(wake_after=FORSAKEN.total_seconds())
    assert decided(None, left, alone=now) == early
    assert decided(None, left, alone=now, is_leaving=True) == early


# Its ShadowPod may have the name of a pod of ours: made for a later one, as far as clocks tell.


def test_what_a_node_left_there_that_is_no_more_does_not_keep_its_name_for_ever() -> None:
    local, left = a_pod(uid="local-2"), a_shadow(**ELSEWHERE)
    told = warned(local, "FailedReflection", TAKEN)
    early, late = (Alone(since, is_forsaken=True) for since in (NOW, NOW - FORSAKEN))
    waits = do(told, wake_after=FORSAKEN.total_seconds())
    assert decided(local, left, alone=early) == waits
    assert decided(local, left, a_remote(**ELSEWHERE), alone=early) == waits
    assert decided(local, left, alone=late) == do(told, *withdrawn(left).actions)


@pytest.mark.parametrize(
    ("local", "expected"),
    [
        (a_pod(uid="local-2"), Alone(NOW, is_forsaken=True)),
        (a_pod(running(), uid="local-2"), None),
        (a_pod(), None),
    ],
    ids=["never ran", "ours had the name before it", "it is for our pod"],
)
async def test_who_has_a_pod_for_that_name_that_never_ran_ends_what_is_left_there(
    local: Pod, expected: Alone | None
) -> None:
    shadow, where = a_shadow(**ELSEWHERE), around()
    state = observe(await views(shadow, local=local), where, KEY)
    assert state == State(SITE, NOW, local, shadow, place=PLACE, alone=expected)
    there = observe(await views(shadow, OTHER, local=local), where, KEY)
    assert there == State(SITE, NOW, local, shadow, place=PLACE)
    assert where.orphans == Orphans()


async def test_only_a_node_of_which_it_is_known_that_it_is_no_more_leaves_something() -> None:
    shadow = a_shadow(**ELSEWHERE)
    seen = observe(await views(shadow, local=None), around(), KEY)
    alone = Alone(NOW, is_forsaken=True)
    assert seen == State(SITE, NOW, None, shadow, place=PLACE, alone=alone)
    there = observe(await views(shadow, OTHER, local=None), around(), KEY)
    assert there == State(SITE, NOW, None, shadow, place=PLACE)
    taken = observe(await views(shadow), around(), KEY)
    assert taken == State(SITE, NOW, a_pod(), shadow, place=PLACE), "a pod of ours has its name"


@pytest.mark.parametrize("more", [{labels.ORIGIN: "paris"}, {labels.DESTINATION: "turin"}])
async def test_what_another_cluster_made_is_left_by_nobody_of_ours(more: dict[str, str]) -> None:
    theirs = a_shadow(labels=marks(**{labels.NODE_NAME: "milan-2", **more}))
    state = observe(await views(theirs, local=None), around(), KEY)
    assert state == State(SITE, NOW, None, theirs, place=PLACE)


async def test_a_node_that_goes_concerns_what_it_leaves_there() -> None:
    left, ours = a_shadow(**ELSEWHERE), a_shadow(name="web-1")
    gone, there = await views(left, ours, local=None), await views(left, OTHER, local=None)
    assert home(gone, left) == (KEY,)
    assert offering(gone, SITE, Room(), OTHER) == (KEY,)
    assert offering(there, SITE, Room(), OTHER) == ()
    assert offering(await views(ours), SITE, Room(), OTHER) == ()


async def test_a_node_that_comes_back_by_its_name_has_left_nothing() -> None:
    where, shadow = around(), a_shadow(**ELSEWHERE)
    observe(await views(shadow, local=None), where, KEY)
    observe(await views(shadow, OTHER, local=None), where, KEY)
    assert where.orphans == Orphans()


def test_a_pod_that_went_out_does_not_say_any_more_that_it_stays() -> None:
    """Who leaves waits for no pod that says so, and its ShadowPod would be left behind."""
    waited = a_pod({**BOUND, "reason": "OffloadingBackOff"})
    out = PatchStatus(waited, {"reason": None}, form="strategic")
    assert decided(waited, a_shadow()) == do(out)
    told, patch = decided(waited, a_shadow(), complaint="no room").actions
    warning, condition = rejected(waited, "no room", "FailedCreatePod", SITE, NOW)
    assert told == warning
    assert status_of(patch) == {**status_of(condition), "reason": None}
