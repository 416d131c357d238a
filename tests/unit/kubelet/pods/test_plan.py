"""The decision table of kubelet/pods/plan.py, row by row."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON
from liqo.kubelet.namespaces import Place
from liqo.kubelet.pods.ending import ended, unready
from liqo.kubelet.pods.forge import shadow_pod
from liqo.kubelet.pods.plan import GRACE, MOMENT, PATIENCE, State, plan
from liqo.kubelet.pods.rejection import COMPONENT, rejected, warned
from liqo.runtime.plan import (
    NOTHING,
    Action,
    Create,
    Delete,
    Patch,
    PatchStatus,
    Plan,
    Record,
    do,
)
from tests.unit.kubelet.pods import things
from tests.unit.kubelet.pods.things import (
    GOING,
    NOW,
    PLACE,
    SITE,
    SPEC,
    a_pod,
    a_remote,
    a_shadow,
    condition,
    container,
    known,
    marks,
    running,
)

DEGRADED = Place("shop-rome", "Degraded")
FOREIGN: JSON = {"labels": marks(**{labels.ORIGIN: "paris"})}
SHOWN = {**running(), "hostIP": "10.9.9.9", "hostIPs": [{"ip": "10.9.9.9"}]}
TAKEN = 'Error reflecting object to cluster "milan": remote object already exists'


def decided(local: Pod | None, shadow: Any = None, remote: Any = None, **more: Any) -> Plan:
    given = {"site": SITE, "now": NOW, "place": PLACE, **more}
    return plan(State(local=local, shadow=shadow, remote=remote, **given))


def status_of(action: Action) -> JSON:
    assert isinstance(action, PatchStatus)
    assert action.form == "strategic"
    assert not action.only_if_unchanged
    return action.status


def offer(local: Pod) -> Create:
    return Create(shadow_pod(local, "shop-rome", SITE), on="remote")


def withdrawn(shadow: Any) -> Plan:
    return do(Delete(shadow, on="remote"))


# What is there is not known.


@pytest.mark.parametrize(
    "local", [a_pod(), a_pod(running()), a_pod(deletion_timestamp=GOING)], ids=["new", "ran", "end"]
)
def test_P_RACE12_nothing_is_decided_before_it_is_known_what_is_there(local: Pod) -> None:
    assert decided(local, is_followed=False) == NOTHING


# Its namespace does not go out.


def test_a_pod_whose_namespace_stays_home_says_why_it_waits() -> None:
    local = a_pod()
    patch, event = decided(local, place=None).actions
    assert status_of(patch) == ended(local.status, "Pending", "OffloadingBackOff", NOW)
    assert isinstance(event, Record)
    assert (event.type, event.reason) == ("Warning", "ReflectionDisabled")
    assert event.message.startswith('Reflection to cluster "milan" disabled for namespace "shop". ')


def test_of_a_namespace_that_is_offloaded_together_with_its_pods_nobody_is_warned() -> None:
    a_second_ago = NOW - timedelta(seconds=1)
    soon = do(wake_after=MOMENT.total_seconds() - 1)
    unanswered = replace(DEGRADED, is_answered=False)
    assert decided(a_pod(), place=None, left=a_second_ago) == soon
    assert decided(a_pod(), place=unanswered, left=a_second_ago) == soon
    assert len(decided(a_pod(), place=None, left=NOW - MOMENT).actions) == 2
    assert len(decided(a_pod(), place=unanswered, left=NOW - MOMENT).actions) == 2


def test_that_it_waits_is_said_once() -> None:
    waits = a_pod({"phase": "Pending", "reason": "OffloadingBackOff"})
    assert decided(waits, place=None) == NOTHING


def test_a_pod_that_waited_goes_out_when_its_namespace_does() -> None:
    waits = a_pod({"phase": "Pending", "reason": "OffloadingBackOff"})
    assert decided(waits) == do(offer(waits))


@pytest.mark.parametrize("passed", [0, 9])
def test_P_RACE1_P_RACE2_a_pod_that_ran_is_not_given_up_at_once(passed: int) -> None:
    left = NOW - timedelta(seconds=passed)
    wait = GRACE.total_seconds() - passed
    assert decided(a_pod(running()), place=None, left=left) == do(wake_after=wait)


def test_a_pod_that_ran_is_given_up_when_its_namespace_stays_away() -> None:
    local = a_pod(running())
    patch, event = decided(local, place=None, left=NOW - GRACE).actions
    assert status_of(patch) == ended(local.status, "Failed", "OffloadingAborted", NOW)
    assert isinstance(event, Record)
    assert event.reason == "ReflectionDisabled"


# Its namespace is degraded.


def test_P_RACE2_in_a_degraded_namespace_what_runs_goes_on() -> None:
    shown = a_pod(SHOWN, **known())
    assert decided(shown, a_shadow(), a_remote(), place=DEGRADED) == NOTHING
    assert decided(shown, place=DEGRADED, is_followed=False) == NOTHING


def test_where_pods_stay_at_home_nothing_new_begins_and_what_runs_goes_on() -> None:
    at_home = Place("shop-rome", keeps_pods=True)
    patch, told = decided(a_pod(), place=at_home).actions
    assert status_of(patch)["reason"] == "OffloadingBackOff"
    assert isinstance(told, Record)
    assert told.message.endswith("without its pods: its podOffloadingStrategy is Local.")
    started = a_pod(running())
    assert decided(started, place=at_home) == decided(started)


def test_P_RACE2_in_a_degraded_namespace_nothing_new_begins() -> None:
    patch, _ = decided(a_pod(), place=DEGRADED).actions
    assert status_of(patch)["reason"] == "OffloadingBackOff"


def test_a_provider_whose_answer_is_lost_for_a_moment_takes_no_pod_back() -> None:
    sent = a_pod(labels={labels.SHADOW_POD: "true"})
    unanswered = replace(DEGRADED, is_answered=False)
    assert decided(sent, place=unanswered, left=NOW - MOMENT, is_followed=False) == NOTHING


# The name is taken.


@pytest.mark.parametrize(
    ("shadow", "remote"),
    [(a_shadow(**FOREIGN), None), (a_shadow(), a_remote(**FOREIGN)), (None, a_remote(**FOREIGN))],
)
def test_what_others_made_is_never_touched_and_the_owner_is_told(shadow: Any, remote: Any) -> None:
    local = a_pod()
    assert decided(local, shadow, remote) == do(warned(local, "FailedReflection", TAKEN))


# The ShadowPod is stale.


def test_P_RACE4_a_new_pod_never_adopts_the_shadow_pod_of_an_earlier_one() -> None:
    again = a_pod(uid="local-2")
    assert decided(again, a_shadow(), a_remote()) == withdrawn(a_shadow())
    assert decided(again, a_shadow(deletion_timestamp=GOING), a_remote()) == NOTHING
    assert decided(again) == do(offer(again))


def test_P_RACE4_a_new_shadow_pod_waits_until_the_old_remote_pod_is_gone() -> None:
    """Else the provider might take the old one for the new, and its end for that of the new."""
    assert decided(a_pod(uid="local-2"), None, a_remote(of="shadow-0")) == NOTHING
    orphan = a_remote(of="")
    assert decided(a_pod(), None, orphan) == do(offer(a_pod()))


def test_P_RACE4_the_status_of_an_earlier_remote_pod_is_not_shown() -> None:
    assert decided(a_pod(), a_shadow(), a_remote(of="shadow-0")) == NOTHING


# The ShadowPod is still to be made.


def test_a_pod_is_offered_with_one_write() -> None:
    assert decided(a_pod()) == do(offer(a_pod()))


def test_P_RACE5_what_vanished_before_anybody_saw_it_is_made_again() -> None:
    ran = a_pod(SHOWN, **known())
    assert decided(ran) == do(offer(ran)) == decided(ran)


@pytest.mark.parametrize("passed", [0, 4])
def test_P_RACE9_a_pod_waits_for_what_it_refers_to(passed: int) -> None:
    since = NOW - timedelta(seconds=passed)
    waiting = decided(a_pod(), missing=("Secret web-0-token",), since=since)
    assert waiting == do(wake_after=PATIENCE.total_seconds() - passed)


def test_P_RACE9_but_not_for_ever() -> None:
    missing: JSON = {"missing": ("ConfigMap settings",), "since": NOW - PATIENCE}
    assert decided(a_pod(), **missing) == do(offer(a_pod()))


def test_P_RACE10_no_write_to_the_local_pod_comes_before_the_offer() -> None:
    (only,) = decided(a_pod()).actions
    assert isinstance(only, Create)
    assert only.on == "remote"


def test_P_FORGE5_the_owner_is_told_what_the_provider_does_not_see() -> None:
    local = a_pod(spec={**SPEC, "priorityClassName": "important", "hostNetwork": True})
    message = 'Cluster "milan" does not see: hostNetwork, priorityClassName'
    hint = Record(local, "FieldsNotReflected", message, component=COMPONENT)
    assert decided(local) == do(offer(local), hint)


# The ShadowPod is ours.


def test_nothing_is_done_while_the_provider_has_nothing_to_show() -> None:
    assert decided(a_pod(), a_shadow()) == NOTHING
    assert decided(a_pod(), a_shadow("Pending")) == NOTHING
    assert decided(a_pod(), a_shadow("Pending"), a_remote({"phase": "Pending"})) == NOTHING


def test_P_RACE10_P_RACE11_the_first_status_brings_the_label_and_knows_no_version() -> None:
    local = a_pod()
    (copy,) = decided(local, a_shadow(), a_remote()).actions
    assert isinstance(copy, PatchStatus)
    assert status_of(copy)["phase"] == "Running"
    assert copy.labels == ((labels.SHADOW_POD, "true"),)
    assert copy.annotations == ((labels.REMOTE_POD_UID, "remote-1"),)


def test_a_later_status_brings_only_what_changed() -> None:
    local = a_pod(SHOWN, **known())
    ended_well = {**running(), "phase": "Succeeded"}
    (copy,) = decided(local, a_shadow(), a_remote(ended_well)).actions
    assert copy == PatchStatus(local, {"phase": "Succeeded"}, form="strategic")


def test_P_RACE1_a_kubelet_that_starts_again_writes_nothing() -> None:
    assert decided(a_pod(SHOWN, **known()), a_shadow("Running"), a_remote()) == NOTHING


def test_the_status_that_another_kubelet_showed_is_taken_over_as_it_is() -> None:
    shown = {**SHOWN, "containerStatuses": [container(restarts=3)]}
    shadow = a_shadow(annotations={labels.LOCAL_NAMESPACE: "shop"})
    remembers = {"metadata": {"annotations": {labels.LOCAL_POD_UID: "local-1"}}}
    assert decided(a_pod(shown), shadow, a_remote()) == do(Patch(shadow, remembers, on="remote"))


def test_a_new_remote_pod_counts_as_a_restart_and_is_remembered() -> None:
    local = a_pod(SHOWN, **known({labels.EARLIER_RESTARTS: "3"}))
    (copy,) = decided(local, a_shadow(), a_remote(uid="remote-2")).actions
    assert isinstance(copy, PatchStatus)
    assert copy.status == {"containerStatuses": [container(restarts=4)]}
    assert dict(copy.annotations) == {
        labels.REMOTE_POD_UID: "remote-2",
        labels.EARLIER_RESTARTS: "4",
    }


def test_labels_and_annotations_follow_the_local_pod() -> None:
    marked = {"labels": {"app": "shop", labels.SHADOW_POD: "true"}}
    local = a_pod(SHOWN, **{**known(), **marked})
    change = {"metadata": {"labels": {"app": "shop"}}}
    aligned = do(Patch(a_shadow(), change, on="remote"))
    assert decided(local, a_shadow(), a_remote()) == aligned
    assert decided(local, a_shadow()).actions[-1:] == aligned.actions


def test_while_the_provider_is_lost_a_pod_is_not_ready_and_its_shadow_pod_left_alone() -> None:
    lost = {"app": "shop", labels.SHADOW_POD: "true", labels.REMOTE_UNAVAILABLE: "true"}
    local = a_pod(SHOWN, **{**known(), "labels": lost})
    (copy,) = decided(local, a_shadow(), a_remote()).actions
    assert status_of(copy) == {"conditions": [condition("Ready", "False")]}


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_remote_pod_that_ended_and_is_gone_has_still_ended(phase: Any) -> None:
    local = a_pod(SHOWN, **known())
    (over,) = decided(local, a_shadow(phase)).actions
    assert status_of(over) == ended(local.status, phase, "RemotePodTerminated", NOW)


def test_a_remote_pod_that_is_lost_comes_again_and_nobody_is_sent_to_it_until_then() -> None:
    local, shadow = a_pod(SHOWN, **known()), a_shadow("Running")
    (wait,) = decided(local, shadow).actions
    assert status_of(wait) == {"conditions": unready(local.status, NOW)}
    assert decided(local, shadow, place=DEGRADED, is_followed=False) == NOTHING


def test_nobody_is_sent_to_a_remote_pod_that_goes_with_its_shadow_pod() -> None:
    local = a_pod(SHOWN, **known())
    (wait,) = decided(local, None, a_remote()).actions
    assert status_of(wait) == {"conditions": unready(local.status, NOW)}


@pytest.mark.parametrize("phase", ["Running", "Succeeded", "Failed"])
def test_a_remote_pod_that_is_being_deleted_is_not_ready_and_has_not_ended(phase: str) -> None:
    going = a_remote({**running(), "phase": phase}, deletion_timestamp=GOING)
    local = a_pod(SHOWN, **known())
    (wait,) = decided(local, a_shadow(), going).actions
    assert status_of(wait) == {"conditions": unready(local.status, NOW)}
    told = [condition(kind, "False") for kind in ("Ready", "ContainersReady")]
    assert decided(a_pod({**SHOWN, "conditions": told}, **known()), a_shadow(), going) == NOTHING


def test_a_remote_pod_whose_node_is_no_more_has_not_ended_either() -> None:
    swept = condition("DisruptionTarget", reason="DeletionByPodGC")
    there = running()
    failed = {**there, "phase": "Failed", "conditions": [*there["conditions"], swept]}
    local = a_pod(SHOWN, **known())
    (wait,) = decided(local, a_shadow(), a_remote(failed)).actions
    assert status_of(wait) == {"conditions": unready(local.status, NOW)}


def test_a_remote_pod_that_finished_before_it_was_deleted_has_ended() -> None:
    going = a_remote({**running(), "phase": "Succeeded"}, deletion_timestamp=GOING)
    (copy,) = decided(a_pod(SHOWN, **known()), a_shadow("Succeeded"), going).actions
    assert status_of(copy) == {"phase": "Succeeded"}


def test_what_the_provider_cannot_make_a_pod_of_is_told_in_its_words() -> None:
    local = a_pod()
    told = decided(local, a_shadow(), complaint="violates PodSecurity")
    assert told == do(*rejected(local, "violates PodSecurity", "FailedCreatePod", SITE, NOW))


def test_a_rejection_is_forgotten_when_the_pod_runs() -> None:
    refused = things.condition("offloading.liqo.io/Accepted", "False")
    local = a_pod({**SHOWN, "conditions": [*SHOWN["conditions"], refused]}, **known())
    (copy,) = decided(local, a_shadow(), a_remote()).actions
    assert status_of(copy) == {
        "conditions": [{"$patch": "delete", "type": "offloading.liqo.io/Accepted"}]
    }
