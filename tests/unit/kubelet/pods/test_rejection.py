"""A provider's no reaches the owner of the pod, in the provider's own words."""

from __future__ import annotations

from typing import cast

import pytest

from liqo.api.kubernetes import Event, PodStatus
from liqo.api.meta import JSON, Meta
from liqo.kubelet.pods.ending import unready
from liqo.kubelet.pods.rejection import COMPONENT, complaint_in, halted, rejected, warned
from liqo.kubelet.pods.status import ACCEPTED
from liqo.runtime.plan import PatchStatus, Record
from tests.unit.kubelet.pods.things import (
    BOUND,
    GOING,
    NOW,
    SITE,
    a_pod,
    condition,
    container,
    running,
)

MESSAGE = 'cluster "milan": violates PodSecurity "restricted"'
CONDITION = {
    "type": ACCEPTED,
    "status": "False",
    "reason": "FailedCreatePod",
    "message": MESSAGE,
    "lastTransitionTime": "2026-11-15T10:18:00Z",
}
WORDS = 'violates PodSecurity "restricted"'


def test_a_rejection_is_an_event_and_a_condition() -> None:
    local = a_pod()
    assert list(rejected(local, WORDS, "FailedCreatePod", SITE, NOW)) == [
        Record(local, "FailedCreatePod", MESSAGE, type="Warning", component=COMPONENT),
        PatchStatus(local, {"conditions": [CONDITION]}, form="strategic"),
    ]


def test_of_one_that_never_got_there_the_event_is_worded_as_the_wire_has_it() -> None:
    local = a_pod()
    event, patch = rejected(local, WORDS, "FailedReflection", SITE, NOW)
    told = 'Error reflecting object to cluster "milan": violates PodSecurity "restricted"'
    assert event == warned(local, "FailedReflection", told)
    condition = {**CONDITION, "reason": "FailedReflection"}
    assert patch == PatchStatus(local, {"conditions": [condition]}, form="strategic")


def test_the_condition_is_written_once() -> None:
    earlier = {**CONDITION, "lastTransitionTime": "2026-11-15T10:00:00Z"}
    local = a_pod({**BOUND, "conditions": [earlier]})
    assert list(rejected(local, WORDS, "FailedCreatePod", SITE, NOW)) == [
        warned(local, "FailedCreatePod", MESSAGE)
    ]


def test_what_ran_and_is_rejected_now_runs_nowhere() -> None:
    local = a_pod(running())
    _, patch = rejected(local, WORDS, "FailedCreatePod", SITE, NOW)
    halt = halted(local.status, "FailedCreatePod", MESSAGE, NOW)
    told = {**halt, "conditions": [CONDITION, *halt["conditions"]]}
    assert patch == PatchStatus(local, told, form="strategic")


def of(status: JSON) -> PodStatus:
    return cast(PodStatus, status)


def unready_for(reason: str, since: str = "2026-11-15T10:18:00Z") -> list[JSON]:
    false = {"reason": reason, "lastTransitionTime": since}
    return [condition(kind, "False", **false) for kind in ("Ready", "ContainersReady")]


def waiting(reason: str, words: str) -> JSON:
    state = {"waiting": {"reason": reason, "message": words}}
    return {"ready": False, "started": False, "state": state}


def test_what_cannot_be_made_again_is_not_ready_and_its_containers_wait_with_the_reason() -> None:
    over, sidecar = container("terminated", exitCode=0), container(startedAt=GOING)
    debugger = [container()]
    here = running(initContainerStatuses=[over, sidecar], ephemeralContainerStatuses=debugger)
    why = "RefusedAgain"
    halt = halted(of(here), why, "no", NOW)
    assert halt == {
        "conditions": unready_for(why),
        "containerStatuses": [{**container(), **waiting(why, "no")}],
        "initContainerStatuses": [over, {**sidecar, **waiting(why, "no")}],
    }
    assert halted(of({**here, **halt}), why, "again", NOW) == {}
    assert halted(of(BOUND), why, "no", NOW) == {}


@pytest.mark.parametrize(
    ("why", "words"),
    [("FailedCreatePod", "drained"), ("FailedReflection", "no"), ("FailedReflection", "drained")],
)
def test_what_is_refused_again_says_the_last_reason(why: str, words: str) -> None:
    first, earlier = "FailedCreatePod", "2026-11-15T10:00:00Z"
    over, broken = container("terminated"), container("waiting", reason="CrashLoopBackOff")
    told = {**container(), **waiting(first, "no")}
    here = running(conditions=unready_for(first, earlier), containerStatuses=[told, over, broken])
    again = halted(of(here), why, words, NOW)
    assert again["containerStatuses"] == [{**told, **waiting(why, words)}, over, broken]
    assert again.get("conditions", []) == (unready_for(why, earlier) if why != first else [])
    assert halted(of({**here, **again}), why, words, NOW) == {}


def test_what_is_not_ready_as_its_remote_pod_went_says_why_it_stays_so() -> None:
    went = unready(of(running()), NOW)
    own = condition("Ready", "False", reason="ContainersNotReady")
    why = "FailedCreatePod"
    assert halted(of({"conditions": went}), why, "no", NOW) == {"conditions": unready_for(why)}
    assert halted(of({"conditions": [own]}), why, "no", NOW) == {}, "it was so before"


def test_what_is_to_end_anyway_goes_on_until_it_does() -> None:
    local = a_pod(running(), deletion_timestamp=GOING)
    _, patch = rejected(local, WORDS, "FailedCreatePod", SITE, NOW)
    assert patch == PatchStatus(local, {"conditions": [CONDITION]}, form="strategic")


def test_the_last_word_about_a_pod_that_could_not_be_made_counts() -> None:
    first = Event(reason="FailedCreatePod", message="one", last_timestamp="2026-11-15T10:00:00Z")
    last = Event(reason="FailedCreatePod", message="two", last_timestamp="2026-11-15T10:00:05Z")
    other = Event(reason="CreatedPod", message="fine", last_timestamp="2026-11-15T10:00:09Z")
    assert complaint_in((last, first, other), "FailedCreatePod") == "two"
    assert complaint_in((last, first, other), "FailedUpdatePod") == ""
    assert complaint_in((other,), "FailedCreatePod") == ""


def test_a_complaint_from_before_the_pod_ran_is_settled() -> None:
    made = Meta(creation_timestamp="2026-11-15T10:00:00Z")
    old = Event(metadata=made, reason="FailedCreatePod", message="no room")
    assert complaint_in((old,), "FailedCreatePod", since="2026-11-15T10:00:00Z") == "no room"
    assert complaint_in((old,), "FailedCreatePod", since="2026-11-15T10:00:01Z") == ""
