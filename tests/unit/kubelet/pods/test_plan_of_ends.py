"""The rows of the decision table that are about ends; the others are in test_plan.py."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from liqo.api import labels
from liqo.api.meta import JSON, Meta
from liqo.api.offloading import VirtualNode
from liqo.kube.errors import Forbidden
from liqo.kubelet.pods.controller import observe
from liqo.kubelet.pods.ending import ended
from liqo.kubelet.pods.orphans import LATE, LONG_AGO, Alone
from liqo.kubelet.pods.plan import UNHEARD, plan
from liqo.kubelet.pods.rejection import warned
from liqo.runtime.plan import NOTHING, Delete, do
from tests.unit.kubelet.pods.test_controller import around, views
from tests.unit.kubelet.pods.test_failure import failure
from tests.unit.kubelet.pods.test_plan import (
    DEGRADED,
    FOREIGN,
    decided,
    status_of,
    withdrawn,
)
from tests.unit.kubelet.pods.things import (
    GOING,
    NOW,
    SITE,
    a_pod,
    a_remote,
    a_shadow,
    marks,
    running,
)

HELD: JSON = {"deletion_timestamp": GOING, "finalizers": ("batch.kubernetes.io/job-tracking",)}

# The local pod is gone.


def test_the_shadow_pod_goes_after_its_pod() -> None:
    assert decided(None, a_shadow(), a_remote(), alone=Alone(LONG_AGO)) == withdrawn(a_shadow())
    assert decided(None, a_shadow(), a_remote(), alone=Alone(NOW - LATE)) == withdrawn(a_shadow())
    assert decided(None, a_shadow(deletion_timestamp=GOING), alone=Alone(LONG_AGO)) == NOTHING
    assert decided(None) == NOTHING


def test_a_pod_that_was_not_seen_to_go_may_only_be_late() -> None:
    a_second_ago = NOW - timedelta(seconds=1)
    soon, later = (do(wake_after=LATE.total_seconds() - gone) for gone in (1, 0))
    assert decided(None, a_shadow(), a_remote(), alone=Alone(a_second_ago)) == soon
    assert decided(None, a_shadow(), a_remote(), alone=Alone()) == later


def test_nobody_waits_for_a_late_watch_whose_kubelet_goes_soon() -> None:
    a_second_ago = NOW - timedelta(seconds=1)
    gone = decided(None, a_shadow(), a_remote(), alone=Alone(a_second_ago), is_leaving=True)
    assert gone == withdrawn(a_shadow())


@pytest.mark.parametrize(
    "of_others", [{labels.NODE_NAME: "milan-2"}, {labels.ORIGIN: "paris"}], ids=str
)
async def test_what_others_run_there_is_not_ours_to_end(of_others: dict[str, str]) -> None:
    known = Meta(name="milan-2", namespace=SITE.tenant_namespace, resource_version="1")
    theirs, node = a_shadow(labels=marks(**of_others)), VirtualNode(metadata=known)
    where = around()
    where.orphans.follow(a_pod(), None)
    state = observe(await views(theirs, node, local=None), where, a_pod().key)
    assert state is not None
    assert plan(state) == NOTHING


# The local pod is terminating.


def test_a_pod_that_ends_takes_its_shadow_pod_with_it_and_shows_how_it_ends() -> None:
    local = a_pod(deletion_timestamp=GOING)
    delete, copy = decided(local, a_shadow(), a_remote()).actions
    assert delete == Delete(a_shadow(), on="remote")
    assert status_of(copy)["phase"] == "Running"


def test_a_pod_whose_shadow_pod_is_going_only_shows_how_it_ends() -> None:
    local = a_pod(deletion_timestamp=GOING)
    (copy,) = decided(local, a_shadow(deletion_timestamp=GOING), a_remote()).actions
    assert status_of(copy)["phase"] == "Running"
    (copy,) = decided(local, None, a_remote()).actions
    assert status_of(copy)["phase"] == "Running"
    other = a_remote(annotations={labels.LOCAL_POD_UID: "local-0"})
    assert decided(local, None, other) == NOTHING


def test_a_pod_waits_where_its_creation_may_have_been_done_without_an_answer() -> None:
    local = a_pod(deletion_timestamp=GOING)
    assert decided(local, is_sure=False) == do(wake_after=UNHEARD)
    assert decided(local, place=None, is_sure=True) == do(Delete(local, grace=0))
    assert decided(local, a_shadow(), is_sure=False) == withdrawn(a_shadow())


def test_a_pod_is_gone_only_after_both_of_its_twins() -> None:
    local = a_pod(deletion_timestamp=GOING)
    assert decided(local, a_shadow(deletion_timestamp=GOING)) == NOTHING
    assert decided(local) == do(Delete(local, grace=0))


def test_a_pod_that_ends_does_not_wait_for_what_others_run_there() -> None:
    local = a_pod(deletion_timestamp=GOING)
    assert decided(local, a_shadow(**FOREIGN), a_remote(**FOREIGN)) == do(Delete(local, grace=0))


def test_a_pod_that_ends_where_nothing_goes_out_is_gone_at_once() -> None:
    local = a_pod(running(), deletion_timestamp=GOING)
    assert decided(local, place=None) == do(Delete(local, grace=0))


def test_a_pod_that_ends_in_a_degraded_namespace_is_gone_if_it_never_ran() -> None:
    never, ran = a_pod(deletion_timestamp=GOING), a_pod(running(), deletion_timestamp=GOING)
    unseen: JSON = {"place": DEGRADED, "is_followed": False}
    assert decided(never, **unseen) == do(Delete(never, grace=0))
    assert decided(ran, **unseen) == NOTHING
    assert decided(ran, place=DEGRADED) == do(Delete(ran, grace=0))


def test_who_holds_on_to_a_pod_that_is_gone_there_sees_its_end() -> None:
    local = a_pod(running(), **HELD)
    over, delete = decided(local).actions
    assert status_of(over) == ended(local.status, "Failed", "RemotePodTerminated", NOW)
    assert delete == Delete(local, grace=0)
    finished = a_pod({"phase": "Succeeded"}, **HELD)
    assert decided(finished) == do(Delete(finished, grace=0))


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_how_a_pod_ended_that_is_gone_there_is_told_before_its_shadow_pod_goes(phase: Any) -> None:
    """Afterwards nobody would know, and a Job that succeeded would count as failed."""
    local = a_pod(running(), **HELD)
    over, delete = decided(local, a_shadow(phase)).actions
    assert status_of(over) == ended(local.status, phase, "RemotePodTerminated", NOW)
    assert delete == Delete(a_shadow(phase), on="remote")
    (over,) = decided(local, a_shadow(phase, deletion_timestamp=GOING)).actions
    assert status_of(over)["phase"] == phase
    told = a_pod({"phase": phase}, **HELD)
    assert decided(told, a_shadow(phase)) == withdrawn(a_shadow(phase))


def test_a_pod_that_was_asked_to_end_has_ended_as_its_shadow_pod_says() -> None:
    notes = {**a_shadow().metadata.annotations, labels.END_WITHIN: "5"}
    over, _ = decided(a_pod(running(), **HELD), a_shadow("Succeeded", annotations=notes)).actions
    assert status_of(over)["phase"] == "Succeeded"


@pytest.mark.parametrize(
    "shadow",
    [
        pytest.param(a_shadow("Running"), id="it had not ended"),
        pytest.param(a_shadow(), id="nothing is known of it"),
        pytest.param(
            a_shadow("Succeeded", annotations={labels.LOCAL_POD_UID: "local-0"}), id="an earlier's"
        ),
        pytest.param(
            a_shadow("Succeeded", labels=marks(**{labels.NODE_NAME: "milan-2"})),
            id="it says another node",
        ),
    ],
)
def test_nothing_is_told_of_an_end_that_is_not_known(shadow: Any) -> None:
    assert decided(a_pod(running(), **HELD), shadow) == withdrawn(shadow)


def test_a_pod_that_may_not_go_is_told_why() -> None:
    """Not where it is not to go yet: what is refused there is its status."""
    no, end = Forbidden("rome: no"), a_pod(running(), deletion_timestamp=GOING)
    for local in (end, a_pod(running(), **HELD), a_pod({"phase": "Failed"}, **HELD)):
        told = warned(local, "FailedDeletion", "Error deleting local object: rome: no")
        assert failure(no, local=local) == do(told)
    back = 'Error reflecting object status back from cluster "milan": rome: no'
    told = warned(end, "FailedReflection", back)
    assert failure(no, local=end, shadow=a_shadow(), remote=a_remote()) == do(told)


# The local pod has finished.


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_what_has_finished_is_never_run_again(phase: str) -> None:
    local = a_pod({"phase": phase})
    assert decided(local) == NOTHING
    assert decided(local, a_shadow("Running"), a_remote()) == NOTHING
    assert decided(local, a_shadow(), a_remote({"phase": phase})) == NOTHING
    assert decided(local, place=None) == NOTHING


def test_what_ended_otherwise_there_is_told_so() -> None:
    local = a_pod({"phase": "Failed", "reason": "RemotePodTerminated"})
    (copy,) = decided(local, a_shadow(), a_remote({"phase": "Succeeded"})).actions
    assert status_of(copy) | {"conditions": []} == {
        "phase": "Succeeded",
        "reason": None,
        "hostIP": "10.9.9.9",
        "hostIPs": [{"$patch": "replace"}, {"ip": "10.9.9.9"}],
        "conditions": [],
    }


def test_what_was_aborted_here_is_ended_there() -> None:
    local = a_pod({"phase": "Failed", "reason": "OffloadingAborted"})
    assert decided(local, a_shadow(), a_remote()) == withdrawn(a_shadow())
    assert decided(local) == NOTHING
    another = a_shadow(annotations={labels.LOCAL_POD_UID: "local-2"})
    assert decided(local, another) == NOTHING
