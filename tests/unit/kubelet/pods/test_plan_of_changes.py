"""The rows of the decision table that are about pods that change, or end sooner than they would."""

from __future__ import annotations

from typing import Any

from liqo.api import labels
from liqo.api.meta import JSON
from liqo.kube.errors import Forbidden
from liqo.kubelet.pods.failure import failed
from liqo.kubelet.pods.plan import ANSWER, State
from liqo.kubelet.pods.rejection import warned
from liqo.rules.changes import Made
from liqo.runtime.plan import NOTHING, Create, Manifest, Patch, PatchStatus, do
from tests.unit.kubelet.pods.test_plan import SHOWN, decided, offer, status_of, withdrawn
from tests.unit.kubelet.pods.things import (
    NOW,
    OFFERED,
    PLACE,
    SITE,
    SPEC,
    a_pod,
    a_remote,
    a_shadow,
    known,
    recorded,
    running,
)

WEB: JSON = SPEC["containers"][0]
NEWER: JSON = {**SPEC, "containers": [{**WEB, "image": "nginx:2"}]}
BIGGER: JSON = {**SPEC, "containers": [{**WEB, "resources": {"limits": {"cpu": "2"}}}]}
OURS = recorded(Made())
ENDING: JSON = {"deletion_timestamp": "2026-11-15T10:18:05Z", "deletion_grace_period_seconds": 5}
SLOW: JSON = {**SPEC, "terminationGracePeriodSeconds": 30}


def changed(spec: JSON, **status: Any) -> Any:
    return a_pod({**SHOWN, **status}, spec, **known())


def asked(within: int) -> Patch:
    told = {"metadata": {"annotations": {labels.END_WITHIN: str(within)}}}
    return Patch(a_shadow(), told, on="remote")


# It changes.


def test_P_FORGE4_a_new_image_reaches_the_shadow_pod() -> None:
    image = {"spec": {"pod": {"containers": NEWER["containers"]}}}
    patch = Patch(a_shadow(), image, on="remote")
    assert decided(changed(NEWER), a_shadow(), a_remote(**OURS)) == do(patch)
    assert decided(changed(NEWER), a_shadow()).actions[-1] == patch


def test_the_owner_is_told_where_a_pod_that_runs_keeps_its_image() -> None:
    local = changed(NEWER)
    _, told = decided(local, a_shadow(), a_remote()).actions
    message = (
        'Cluster "milan" may not change a pod that runs: it has the new image once it is made anew'
    )
    assert told == warned(local, "ChangeNotReflected", message)
    marked = a_pod(
        SHOWN,
        labels={"app": "shop", labels.SHADOW_POD: "true"},
        annotations={labels.REMOTE_POD_UID: "remote-1"},
    )
    assert len(decided(marked, a_shadow(), a_remote()).actions) == 1  # labels do follow


def test_a_status_is_shown_before_a_change_may_be_refused() -> None:
    local = changed(BIGGER)
    ended_well = {**running(), "phase": "Succeeded"}
    copy, patch = decided(local, a_shadow(), a_remote(ended_well, **OURS)).actions
    assert status_of(copy) == {"phase": "Succeeded"}
    assert isinstance(patch, Patch)


def test_a_refused_change_is_told_with_what_stays_as_it_was() -> None:
    local = changed(BIGGER)
    state = State(SITE, NOW, local, a_shadow(), a_remote(), PLACE)
    message = (
        'Error reflecting object to cluster "milan": denied (the pod there runs on without the '
        "new resources)"
    )
    assert failed(state, Forbidden("milan: denied")) == do(
        warned(local, "FailedReflection", message)
    )


def test_what_the_provider_cannot_change_is_told_until_it_can() -> None:
    local = changed(SPEC)
    told = warned(local, "FailedUpdatePod", 'cluster "milan": Failed to update pod: LimitRange')
    words = "Failed to update pod: LimitRange"
    behind = a_shadow(generation=2)
    pod = a_remote(**recorded(Made(generation=1)))
    assert decided(local, behind, pod, complaint=words) == do(told)
    debugged: JSON = {**SPEC, "ephemeralContainers": [{"name": "look", "image": "tools"}]}
    asked = a_shadow(spec={**OFFERED, **debugged}, generation=2)
    copy, _ = decided(changed(debugged), asked, pod, complaint=words).actions
    (waits,) = status_of(copy)["ephemeralContainerStatuses"]
    assert waits["state"]["waiting"]["message"] == told.message
    pod = a_remote(**recorded(Made(generation=2)))
    assert decided(local, behind, pod, complaint=words) == NOTHING


def test_a_change_has_been_observed_when_the_remote_pod_has_seen_it() -> None:
    there = running(observedGeneration=1)
    local = changed(SPEC, observedGeneration=2)
    behind = a_remote(there, **recorded(Made(generation=1)))
    assert decided(local, a_shadow(generation=2), behind) == NOTHING
    in_step = a_remote(there, **recorded(Made(generation=2)))
    (copy,) = decided(local, a_shadow(generation=2), in_step).actions
    assert status_of(copy) == {"observedGeneration": 3}


# It ends sooner, or later, than its spec says.


def test_P_FORGE4_a_pod_ends_within_the_time_that_is_asked_for() -> None:
    local = a_pod(SHOWN, SLOW, **known(), **ENDING)
    remote = a_remote(**OURS)
    left = 5 + ANSWER.total_seconds()
    assert decided(local, a_shadow(), remote) == do(asked(5), wake_after=left)
    told = a_shadow(annotations={**a_shadow().metadata.annotations, labels.END_WITHIN: "5"})
    assert decided(local, told, remote) == do(wake_after=left)


def test_its_shadow_pod_goes_once_the_remote_pod_ends_in_time() -> None:
    local = a_pod(SHOWN, SLOW, **known(), **ENDING)
    told = a_shadow(annotations={**a_shadow().metadata.annotations, labels.END_WITHIN: "5"})
    assert decided(local, told, a_remote(**OURS, **ENDING)) == withdrawn(told)
    assert decided(local, told) == withdrawn(told)


def test_nobody_waits_for_ever_for_a_provider_that_does_not_answer() -> None:
    local = a_pod(SHOWN, SLOW, **known(), **ENDING)
    late = NOW.replace(second=10)
    assert decided(local, a_shadow(), a_remote(**OURS), now=late) == withdrawn(a_shadow())


def test_who_changes_their_mind_is_heard_although_the_shadow_pod_is_gone() -> None:
    local = a_pod(SHOWN, SLOW, **known(), **ENDING)
    going: JSON = {**ENDING, "deletion_grace_period_seconds": 30}
    plan = decided(local, None, a_remote(**OURS, **going))
    (only,) = plan.actions
    assert isinstance(only, Create)
    assert isinstance(only.object, Manifest)
    annotations = only.object.body["metadata"]["annotations"]
    assert annotations == {labels.END_WITHIN: "5"}


def test_a_provider_that_would_not_understand_is_asked_for_nothing_but_the_end() -> None:
    local = a_pod(SHOWN, SLOW, **known(), **ENDING)
    assert decided(local, a_shadow(), a_remote()) == withdrawn(a_shadow())


def test_the_way_it_ends_is_shown_meanwhile() -> None:
    local = a_pod(spec=SLOW, **ENDING)
    copy, ask = decided(local, a_shadow(), a_remote(**OURS)).actions
    assert isinstance(copy, PatchStatus)
    assert ask == asked(5)


# It was deleted by force, and the next of its name waits.


def test_the_next_pod_of_a_name_does_not_wait_for_one_that_was_forced_to_go() -> None:
    local = a_pod(uid="local-2")
    remote = a_remote(**OURS)
    assert decided(local, a_shadow(), remote) == do(asked(0))
    (only,) = decided(local, None, a_remote(**OURS, **ENDING)).actions
    assert isinstance(only, Create)
    assert isinstance(only.object, Manifest)
    assert only.object.body["metadata"]["annotations"][labels.END_WITHIN] == "0"
    told = a_shadow(annotations={**a_shadow().metadata.annotations, labels.END_WITHIN: "0"})
    assert decided(local, told, a_remote(**OURS, **ENDING)) == NOTHING
    assert decided(local, told) == withdrawn(told)
    assert decided(local) == do(offer(local))


def test_what_only_asks_for_an_end_is_nobodys_shadow_pod() -> None:
    local = a_pod(uid="local-2")
    request = a_shadow(annotations={labels.END_WITHIN: "0"})
    assert decided(local, request, a_remote(**OURS, **ENDING)) == NOTHING
    assert decided(local, request) == withdrawn(request)
    ended = a_pod({"phase": "Failed", "reason": "OffloadingAborted"}, uid="local-2")
    assert decided(ended, request) == NOTHING


def test_the_next_pod_of_a_name_waits_where_nobody_would_understand() -> None:
    local = a_pod(uid="local-2")
    assert decided(local, None, a_remote(**ENDING)) == NOTHING
