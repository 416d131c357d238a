"""The rows of the decision table that are about pods that move between nodes of one provider."""

from __future__ import annotations

import pytest

from liqo.api import labels
from liqo.api.meta import JSON
from liqo.kubelet.pods.controller import home
from liqo.kubelet.pods.fit import LOOK_AGAIN
from liqo.kubelet.pods.orphans import LATE
from liqo.kubelet.pods.rejection import warned
from liqo.rules.changes import Made
from liqo.runtime.plan import Delete, do
from tests.unit.kubelet.pods.test_controller import views
from tests.unit.kubelet.pods.test_plan import TAKEN, decided, offer, withdrawn
from tests.unit.kubelet.pods.things import (
    GOING,
    NOW,
    a_pod,
    a_remote,
    a_shadow,
    marks,
    recorded,
    running,
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
    gone = decided(None, a_shadow(), is_leaving=True, alone=NOW - LATE)
    assert gone == withdrawn(a_shadow())


def test_what_another_node_of_ours_asked_for_is_only_withdrawn() -> None:
    local = a_pod(uid="local-2", creation_timestamp="2026-11-15T10:17:54Z")
    theirs = a_shadow(**ELSEWHERE, creation_timestamp="2026-11-15T10:17:00Z")
    assert decided(local, theirs, a_remote(**recorded(Made()))) == do(Delete(theirs, on="remote"))


async def test_pods_of_another_node_of_ours_concern_us_where_we_have_one_of_their_name() -> None:
    assert home(await views(), a_shadow(**ELSEWHERE)) == (a_pod().key,)
    assert home(await views(local=None), a_shadow(**ELSEWHERE)) == ()
    assert home(await views(local=None), a_shadow()) == (a_pod().key,)
    assert home(await views(local=None), a_remote(labels={})) == (a_pod().key,), "nobody's"
