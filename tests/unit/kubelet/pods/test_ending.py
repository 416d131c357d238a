"""What is said of a pod that has no remote one."""

from __future__ import annotations

from typing import cast

import pytest

from liqo.api.kubernetes import PodStatus
from liqo.api.meta import JSON
from liqo.kubelet.namespaces import Place
from liqo.kubelet.pods.ending import GOING, Reason, ended, has_started, stays, unready
from tests.unit.kubelet.pods.things import (
    BOUND,
    NOW,
    PLACE,
    a_pod,
    condition,
    container,
    running,
)


def of(status: JSON) -> PodStatus:
    return cast(PodStatus, status)


def false(kind: str, reason: str) -> JSON:
    since = "2026-11-15T10:18:00Z"
    return condition(kind, "False", reason=reason, lastTransitionTime=since)


def test_a_pod_that_cannot_go_out_waits_and_nothing_of_it_is_true() -> None:
    reason: Reason = "OffloadingBackOff"
    assert ended(of(BOUND), "Pending", reason, NOW) == {
        "phase": "Pending",
        "reason": reason,
        "conditions": [false("PodScheduled", reason)],
    }


@pytest.mark.parametrize(("phase", "code"), [("Failed", 1), ("Succeeded", 0)])
def test_what_ran_is_terminated(phase: str, code: int) -> None:
    over = container("terminated", exitCode=3)
    here = running(
        initContainerStatuses=[over], conditions=[condition("Ready"), condition("A", "False")]
    )
    reason: Reason = "RemotePodTerminated"
    state = {"terminated": {"exitCode": code, "reason": reason}}
    assert ended(of(here), phase, reason, NOW) == {
        "phase": phase,
        "reason": reason,
        "conditions": [false("Ready", reason)],
        "containerStatuses": [{**container(), "ready": False, "state": state}],
        "initContainerStatuses": [over],
    }


def test_containers_that_wait_go_on_waiting() -> None:
    waiting = container("waiting", reason="ContainerCreating")
    status = ended(of({"containerStatuses": [waiting]}), "Pending", "OffloadingBackOff", NOW)
    assert status["containerStatuses"] == [waiting]
    assert "conditions" not in status


def test_between_two_remote_pods_nobody_is_sent_to_it() -> None:
    assert unready(of(running()), NOW) == [false("Ready", GOING), false("ContainersReady", GOING)]
    assert unready(of(BOUND), NOW) == []


def test_what_has_started() -> None:
    assert not has_started(of({}))
    assert not has_started(of(BOUND))
    assert has_started(of(running()))
    assert has_started(of({"phase": "Pending", "initContainerStatuses": [container()]}))


def test_a_pod_stays_where_its_namespace_goes_without_its_pods_unless_it_ran_there() -> None:
    without = Place("shop-rome", keeps_pods=True)
    assert stays(a_pod(), without)
    assert not stays(a_pod(running()), without)
    assert not stays(a_pod(), PLACE)
