"""A pod that is asked for is there, whatever happens to it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import Key, Meta, OwnerReference
from liqo.api.offloading import PodPhase, ShadowPod, ShadowPodSpec, ShadowPodStatus
from liqo.kube.errors import Forbidden, Unreachable
from liqo.kube.paths import EVERYTHING
from liqo.provider.shadowpod import (
    OURS,
    Losses,
    State,
    controller,
    failed,
    forge,
    observe,
    plan,
)
from liqo.rules.changes import made_of
from liqo.runtime.plan import NOTHING, Create, Delete, Patch, PatchStatus, Record, do
from tests import wire
from tests.unit.provider.things import holding, raw

SPEC = {"containers": [{"name": "web", "image": "web:1"}]}
NOW = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)
LOSSES = Losses(lambda: NOW)
MARKS = {labels.ORIGIN: "rome", labels.DESTINATION: "milan", labels.NODE_NAME: "milan"}


def a_shadow(phase: PodPhase | None = None, **metadata: object) -> ShadowPod:
    said = {
        "name": "web",
        "namespace": "shop-rome",
        "uid": "shadow-1",
        "resource_version": "3",
        "generation": 1,
        "labels": MARKS,
        "annotations": {"why": "tests"},
        **metadata,
    }
    return ShadowPod(
        metadata=Meta(**said),  # type: ignore[arg-type]
        spec=ShadowPodSpec(raw_pod=raw(SPEC)),
        status=ShadowPodStatus(phase=phase) if phase else None,
    )


def a_pod(phase: str = "Running", owner: str = "shadow-1", **metadata: object) -> Pod:
    said = {
        "name": "web",
        "namespace": "shop-rome",
        "uid": "pod-1",
        "resource_version": "4",
        "labels": {**MARKS, labels.MANAGED_BY: "shadowpod"},
        "annotations": {"why": "tests", labels.MADE_OF: str(made_of(a_shadow(), ()))},
        "owner_references": (
            OwnerReference(api_version="x", kind="ShadowPod", name="web", uid=owner),
        ),
        **metadata,
    }
    return Pod(metadata=Meta(**said), raw_status=raw({"phase": phase}))  # type: ignore[arg-type]


def test_a_pod_is_made_of_what_was_asked_for() -> None:
    shadow = a_shadow()
    made = forge(shadow).body
    assert plan(State(shadow, None)) == do(Create(forge(shadow)))
    assert made["spec"] == SPEC
    assert made["metadata"]["labels"] == {**MARKS, "liqo.io/managed-by": "shadowpod"}
    record = str(made_of(shadow, ()))
    assert made["metadata"]["annotations"] == {"why": "tests", labels.MADE_OF: record}
    [owner] = made["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["uid"], owner["controller"]) == ("ShadowPod", "shadow-1", True)


def test_a_pod_is_the_one_that_was_captured() -> None:
    [captured] = [each for each in wire.captured(ShadowPod) if each["metadata"]["name"] == "web-0"]
    made = forge(msgspec.json.decode(msgspec.json.encode(captured), type=ShadowPod)).body[
        "metadata"
    ]
    assert made["labels"] == {
        "app": "web",
        "liqo.io/creator-user": "milan-a8a4c692b93b",
        "liqo.io/managed-by": "shadowpod",
        "offloading.liqo.io/destination": "milan",
        "offloading.liqo.io/nodename": "milan",
        "offloading.liqo.io/origin": "rome",
    }
    assert made["annotations"].pop(labels.MADE_OF).startswith('{"generation":1,"labels":["app"]')
    assert made["annotations"] == {"note": "mine"}
    assert made["ownerReferences"] == [
        {
            "apiVersion": "offloading.liqo.io/v1beta1",
            "blockOwnerDeletion": True,
            "controller": True,
            "kind": "ShadowPod",
            "name": "web-0",
            "uid": captured["metadata"]["uid"],
        }
    ]


def test_a_pod_that_runs_is_left_alone() -> None:
    assert plan(State(a_shadow(), a_pod())) == NOTHING
    assert plan(State(a_shadow(), a_pod("Pending"))) == NOTHING


def test_a_pod_that_is_lost_is_made_again_and_one_that_is_going_only_then() -> None:
    assert plan(State(a_shadow("Running"), None)) == do(Create(forge(a_shadow("Running"))))
    assert plan(State(a_shadow(), a_pod(deletion_timestamp="2026-11-16T00:00:00Z"))) == NOTHING


def test_a_pod_that_failed_because_its_node_is_no_more_is_about_to_be_deleted() -> None:
    swept = {"type": "DisruptionTarget", "status": "True", "reason": "DeletionByPodGC"}
    failed = msgspec.structs.replace(
        a_pod(), raw_status=raw({"phase": "Failed", "conditions": [swept]})
    )
    assert plan(State(a_shadow(), failed)) == NOTHING


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_what_finished_is_remembered_and_never_run_again(phase: PodPhase) -> None:
    shadow = a_shadow()
    assert plan(State(shadow, a_pod(phase))) == do(PatchStatus(shadow, {"phase": phase}))
    assert plan(State(a_shadow(phase), None)) == NOTHING
    assert plan(State(a_shadow(phase), a_pod(phase))) == NOTHING


def test_a_pod_follows_its_shadow() -> None:
    shadow = a_shadow(annotations={"why": "else"})
    change = {"metadata": {"annotations": {"why": "else"}}}
    assert plan(State(shadow, a_pod())) == do(Patch(a_pod(), change, form="strategic"))


def test_ephemeral_containers_are_no_part_of_a_pod_that_is_made_anew() -> None:
    debugged = {**SPEC, "ephemeralContainers": [{"name": "look", "image": "tools"}]}
    shadow = msgspec.structs.replace(a_shadow(), spec=ShadowPodSpec(raw_pod=raw(debugged)))
    made = forge(shadow).body
    assert made["spec"] == SPEC
    assert made["metadata"]["annotations"][labels.MADE_OF] == str(made_of(shadow, ["look"]))


def test_that_a_pod_has_shrunk_is_said_once_it_has() -> None:
    spec = {"containers": [{"name": "web", "resources": {"requests": {"cpu": "1"}}}]}
    notes = {"why": "tests", labels.STILL_TAKES: '{"cpu":"10"}'}
    shadow = msgspec.structs.replace(
        a_shadow(generation=2, annotations=notes), spec=ShadowPodSpec(raw_pod=raw(spec))
    )
    record = {"why": "tests", labels.MADE_OF: str(made_of(shadow, ()))}

    def holding(cpu: str) -> Pod:
        told = {"name": "web", "resources": {"requests": {"cpu": cpu}}}
        status = raw({"phase": "Running", "containerStatuses": [told]})
        pod = a_pod(annotations=record)
        return msgspec.structs.replace(
            pod, raw_spec=raw({**spec, "nodeName": "n1"}), raw_status=status
        )

    assert plan(State(shadow, holding("10"))) == NOTHING
    said = PatchStatus(shadow, {"observedGeneration": 2})
    assert plan(State(shadow, holding("1"))) == do(said)
    done = ShadowPodStatus(phase="Unknown", observed_generation=2)
    told = msgspec.structs.replace(shadow, status=done)
    assert plan(State(told, holding("1"))) == NOTHING


def test_that_it_has_shrunk_is_said_before_what_may_be_refused_for_ever() -> None:
    sized = {"name": "web", "image": "nginx", "resources": {"requests": {"cpu": "1"}}}
    debugger = {"name": "look", "image": "tools"}
    debugged = {"containers": [sized], "ephemeralContainers": [debugger]}
    before, shadow = (
        msgspec.structs.replace(
            a_shadow(generation=generation, annotations={labels.STILL_TAKES: '{"cpu":"10"}'}),
            spec=ShadowPodSpec(raw_pod=raw(spec)),
        )
        for generation, spec in ((2, {"containers": [sized]}), (3, debugged))
    )
    told = {"name": "web", "resources": {"requests": {"cpu": "1"}}}
    pod = msgspec.structs.replace(
        a_pod(annotations={labels.MADE_OF: str(made_of(before, ()))}),
        raw_spec=raw({"containers": [sized], "nodeName": "n1"}),
        raw_status=raw({"phase": "Running", "containerStatuses": [told]}),
    )
    first, *rest = plan(State(shadow, pod)).actions
    assert first == PatchStatus(shadow, {"observedGeneration": 3})
    assert rest


@pytest.mark.parametrize("owner", ["shadow-1", "shadow-0"])
def test_a_shadow_may_ask_for_the_end_of_its_pod_or_of_an_earlier_ones(owner: str) -> None:
    shadow = a_shadow(annotations={labels.END_WITHIN: "5"})
    pod = a_pod(owner=owner)
    assert plan(State(shadow, pod)) == do(Delete(pod, grace=5))
    assert plan(State(shadow, None)) == NOTHING


def test_a_pod_of_an_earlier_shadow_of_that_name_is_waited_for() -> None:
    assert plan(State(a_shadow(), a_pod(owner="shadow-0"))) == NOTHING


def test_nobody_gets_a_pod_that_no_consumer_asked_for() -> None:
    assert plan(State(a_shadow(labels={}), None)) == NOTHING


def test_the_consumer_reads_why_there_is_no_pod() -> None:
    shadow = a_shadow()
    told = Record(shadow, "FailedCreatePod", "Failed to create pod: privileged", "Warning")
    assert failed(State(shadow, None), Forbidden("privileged")) == do(told)
    update = Record(shadow, "FailedUpdatePod", "Failed to update pod: no", "Warning")
    assert failed(State(shadow, a_pod()), Forbidden("no")) == do(update)
    assert failed(State(shadow, None), Unreachable("cut")) == NOTHING


def test_a_size_that_is_refused_does_not_hold_up_an_ephemeral_container() -> None:
    bigger = {"name": "web", "image": "web:1", "resources": {"limits": {"cpu": "2"}}}
    debugged = {"containers": [bigger], "ephemeralContainers": [{"name": "look"}]}
    shadow = msgspec.structs.replace(
        a_shadow(generation=2), spec=ShadowPodSpec(raw_pod=raw(debugged))
    )
    state = State(shadow, a_pod())
    done = [each.subresource for each in plan(state).actions if isinstance(each, Patch)]
    assert done == ["resize", "", "ephemeralcontainers", ""]
    _, attach = failed(state, Forbidden("no")).actions
    assert isinstance(attach, Patch)
    assert attach.subresource == "ephemeralcontainers"


def test_a_shadow_is_seen_with_its_pod_until_it_goes() -> None:
    shadow, pod = a_shadow(), a_pod()
    here = holding(shadow)
    here.of(Pod, OURS).take(pod)
    assert observe(here, LOSSES, shadow.key) == State(shadow, pod)
    assert observe(holding(), LOSSES, Key("shop-rome", "web")) is None
    leaving = a_shadow(deletion_timestamp="2026-11-16T00:00:00Z")
    assert observe(holding(leaving), LOSSES, leaving.key) is None
    assert controller(here, lambda: NOW).manager == "shadow-pod"


def test_a_pod_that_we_made_is_seen_before_the_watch_tells_of_it() -> None:
    """Else a change of its ShadowPod at that moment would make it once more, and that be told."""
    shadow = a_shadow()
    here = holding(shadow)
    watching, body = controller(here, lambda: NOW), forge(shadow).body
    made = {**body["metadata"], "uid": "pod-1", "resourceVersion": "9"}
    here.take(Pod.KIND, {**body, "metadata": made})
    seen = watching.observe(shadow.key)
    assert seen is not None
    assert seen.pod is not None
    assert plan(seen) == NOTHING


def test_a_pod_that_just_went_is_missed_a_moment_later() -> None:
    """Its ShadowPod may have gone before it, and be heard of after it."""
    times = [NOW]
    losses, shadow, pod = Losses(lambda: times[-1]), a_shadow(), a_pod()
    here = holding(shadow)
    losses.note(None, pod)
    losses.note(pod, pod)
    assert observe(here, losses, shadow.key) == State(shadow, None)
    losses.note(pod, None)
    times.append(NOW + timedelta(seconds=0.25))
    just_now = observe(here, losses, shadow.key)
    assert just_now == State(shadow, None, wait=0.75)
    assert plan(just_now) == do(wake_after=0.75)
    times.append(NOW + timedelta(seconds=1))
    later = observe(here, losses, shadow.key)
    assert later is not None
    assert plan(later) == do(Create(forge(shadow)))


def test_losses_that_nobody_asks_for_are_forgotten_once_they_are_old() -> None:
    """Who does not lead hears of them all, and asks for none."""
    times = [NOW]
    losses = Losses(lambda: times[-1])
    for second in range(5):
        times.append(NOW + timedelta(seconds=second))
        losses.note(a_pod(name=f"web-{second % 4}"), None)
    assert [key.name for key in losses] == ["web-0"]
    assert losses.left(Key("shop-rome", "web-0")) == 1


@pytest.mark.parametrize("things", [(), (a_shadow(), a_pod())])
def test_what_went_is_forgotten_with_its_shadow_pod_or_with_the_next_pod(
    things: tuple[ShadowPod | Pod, ...],
) -> None:
    losses, key, here = Losses(lambda: NOW), a_pod().key, holding()
    losses.note(a_pod(), None)
    for thing in things:
        scope = OURS if isinstance(thing, Pod) else EVERYTHING
        here.of(type(thing), scope).take(thing)
    observe(here, losses, key)
    assert losses.left(key) == 0
