"""What a consumer changes of its pods reaches those that run here, and nothing else does."""

from __future__ import annotations

from typing import Any

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON, Meta
from liqo.api.offloading import ShadowPod, ShadowPodSpec
from liqo.provider.changes import notes, steps
from liqo.rules.changes import Made, made_in, made_of
from liqo.runtime.plan import Patch
from tests.unit.provider.things import raw

ORIGIN = {labels.ORIGIN: "rome"}
WEB: JSON = {"name": "web", "image": "web:1", "resources": {"limits": {"cpu": "1"}}}
PROXY: JSON = {"name": "proxy", "image": "proxy:1", "restartPolicy": "Always"}
SPEC: JSON = {"containers": [WEB], "initContainers": [PROXY]}
LOOK: JSON = {"name": "look", "image": "tools", "tty": True}


def a_shadow(generation: int = 2, marks: JSON | None = None, **fields: Any) -> ShadowPod:
    given: JSON = {"labels": {**ORIGIN, "app": "web"}, "annotations": {"why": "tests"}}
    return ShadowPod(
        metadata=Meta(name="web", generation=generation, **{**given, **(marks or {})}),
        spec=ShadowPodSpec(raw_pod=raw({**SPEC, **fields})),
    )


def made(past: tuple[str, ...] = (), **fields: Any) -> Made:
    return made_of(a_shadow(1, **fields), past)


def a_pod(spec: JSON | None = None, record: Made | None = None, **marks: Any) -> Pod:
    """As it was made of the first generation, unless something else is said."""
    record = made() if record is None else record
    given: JSON = {
        "labels": {**ORIGIN, "app": "web", labels.MANAGED_BY: "shadowpod"},
        "annotations": {"why": "tests", labels.MADE_OF: str(record)},
    }
    return Pod(
        metadata=Meta(name="web", uid="pod-1", **{**given, **marks}), raw_spec=raw(spec or SPEC)
    )


def patched(action: object) -> JSON:
    """What a request changes, the record aside."""
    assert isinstance(action, Patch)
    assert action.form == "strategic"
    metadata = dict(action.change.get("metadata", {}))
    notes = {k: v for k, v in metadata.pop("annotations", {}).items() if k != labels.MADE_OF}
    parts = {**action.change, "metadata": {**metadata, **({"annotations": notes} if notes else {})}}
    return {part: each for part, each in parts.items() if each}


def recorded(action: object) -> Made:
    assert isinstance(action, Patch)
    told = action.change["metadata"]["annotations"]
    found = made_in(Pod(metadata=Meta(annotations=told)))
    assert found is not None
    return found


def test_nothing_is_written_while_nothing_changed() -> None:
    assert list(steps(a_shadow(1), a_pod())) == []


def test_labels_and_annotations_come_and_go_and_those_of_others_stay() -> None:
    there = a_pod().metadata
    pod = a_pod(
        labels={**there.labels, "of": "others"}, annotations={**there.annotations, "cni": "1"}
    )
    shadow = a_shadow(1, {"labels": {**ORIGIN, "tier": "front"}, "annotations": {"why": "else"}})
    (only,) = steps(shadow, pod)
    assert patched(only) == {
        "metadata": {"labels": {"tier": "front", "app": None}, "annotations": {"why": "else"}}
    }
    assert recorded(only).labels == ["tier"]


def test_a_label_that_somebody_here_took_away_comes_back() -> None:
    (only,) = steps(a_shadow(1), a_pod(labels={**ORIGIN, labels.MANAGED_BY: "shadowpod"}))
    assert only == Patch(
        a_pod(labels={**ORIGIN, labels.MANAGED_BY: "shadowpod"}),
        {"metadata": {"labels": {"app": "web"}}},
        form="strategic",
    )


def test_a_consumer_does_not_say_what_a_pod_was_made_of() -> None:
    lie = {labels.MADE_OF: "{}", labels.END_WITHIN: "x", labels.STILL_TAKES: "{}", "why": "tests"}
    assert notes(a_shadow(1, {"annotations": lie}), made()) == {
        "why": "tests",
        labels.MADE_OF: str(made()),
    }


def test_an_image_changes_with_one_request() -> None:
    shadow = a_shadow(containers=[{**WEB, "image": "web:2"}])
    (only,) = steps(shadow, a_pod())
    assert patched(only) == {"spec": {"containers": [{"name": "web", "image": "web:2"}]}}
    assert recorded(only) == made_of(shadow, ())
    (only,) = steps(a_shadow(initContainers=[{**PROXY, "image": "proxy:2"}]), a_pod())
    assert patched(only) == {"spec": {"initContainers": [{"name": "proxy", "image": "proxy:2"}]}}


def test_what_admission_here_made_of_a_pod_stays_when_something_else_changes() -> None:
    ours = {**WEB, "image": "mirror/web:1", "resources": {"limits": {"cpu": "500m"}}}
    pod = a_pod({**SPEC, "containers": [ours]})
    assert list(steps(a_shadow(1), pod)) == []
    (only,) = steps(a_shadow(tolerations=[{"key": "x"}]), pod)
    assert patched(only) == {"spec": {"tolerations": [{"key": "x"}]}}


def test_tolerations_are_added_to_those_that_the_cluster_gave() -> None:
    gave = {"key": "not-ready", "operator": "Exists", "tolerationSeconds": 300}
    shorter = {**gave, "tolerationSeconds": 10}
    pod = a_pod({**SPEC, "tolerations": [gave, {"key": "y"}]})
    (only,) = steps(a_shadow(tolerations=[{"key": "x"}, shorter]), pod)
    assert patched(only) == {"spec": {"tolerations": [shorter, {"key": "y"}, {"key": "x"}]}}


@pytest.mark.parametrize(
    ("now", "wanted", "expected"), [(None, 9, 9), (20, 9, 9), (9, 20, None), (9, None, None)]
)
def test_a_deadline_comes_nearer_and_never_goes(
    now: int | None, wanted: int | None, expected: int | None
) -> None:
    (only,) = steps(
        a_shadow(activeDeadlineSeconds=wanted), a_pod({**SPEC, "activeDeadlineSeconds": now})
    )
    change = {} if expected is None else {"spec": {"activeDeadlineSeconds": expected}}
    assert patched(only) == change


def test_a_pod_is_resized_and_only_then_it_is_remembered() -> None:
    bigger = {"limits": {"cpu": "2"}, "claims": [{"name": "gpu"}]}
    shadow = a_shadow(containers=[{**WEB, "resources": bigger}])
    resize, remember = steps(shadow, a_pod())
    assert isinstance(resize, Patch)
    assert resize.subresource == "resize"
    sized = {"name": "web", "resources": {"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}}
    assert resize.change == {"spec": {"containers": [sized]}}
    assert patched(remember) == {}
    assert recorded(remember) == made_of(shadow, ())


def test_what_a_resize_needs_is_done_before_it_may_be_refused() -> None:
    shadow = a_shadow(
        2,
        {"labels": {**ORIGIN, "app": "shop"}},
        containers=[{**WEB, "image": "web:2", "resources": {"limits": {"cpu": "2"}}}],
        ephemeralContainers=[LOOK],
    )
    first, resize, half, attach, whole = steps(shadow, a_pod())
    assert patched(first) == {
        "metadata": {"labels": {"app": "shop"}},
        "spec": {"containers": [{"name": "web", "image": "web:2"}]},
    }
    assert recorded(first) == made(containers=[{**WEB, "image": "web:2"}])
    assert [each.subresource for each in (resize, attach) if isinstance(each, Patch)] == [
        "resize",
        "ephemeralcontainers",
    ]
    assert (recorded(half).generation, recorded(half).sizes) == (1, recorded(whole).sizes)
    assert recorded(whole) == made_of(shadow, ())


def test_what_is_refused_is_tried_again_and_nothing_else() -> None:
    bigger = {**WEB, "resources": {"limits": {"cpu": "2"}}}
    shadow = a_shadow(containers=[bigger], ephemeralContainers=[LOOK])
    resize, half, attach, whole = steps(shadow, a_pod())
    assert isinstance(resize, Patch)
    assert isinstance(whole, Patch)
    debugged = a_pod({**SPEC, "ephemeralContainers": [LOOK]})  # the size was refused
    assert list(steps(shadow, debugged)) == [
        Patch(debugged, resize.change, form="strategic", subresource="resize"),
        Patch(debugged, whole.change, form="strategic"),
    ]
    resized = a_pod({**SPEC, "containers": [bigger]}, recorded(half))  # the container was
    assert [patched(each) for each in steps(shadow, resized)] == [patched(attach), {}]
    smaller = a_shadow(3, containers=[WEB], ephemeralContainers=[LOOK])
    back, *_ = steps(smaller, resized)
    sized = {"name": "web", "resources": {**WEB["resources"], "requests": {"cpu": "1"}}}
    assert patched(back) == {"spec": {"containers": [sized]}}


def test_a_size_that_went_is_never_taken_for_carried_out() -> None:
    """Kubernetes refuses it; and until it is done nothing is remembered."""
    resize, remember = steps(a_shadow(containers=[{"name": "web", "image": "web:1"}]), a_pod())
    assert isinstance(resize, Patch)
    assert resize.subresource == "resize"
    assert resize.change == {"spec": {"containers": [{"name": "web", "resources": None}]}}
    assert patched(remember) == {}


def test_a_container_that_never_had_a_size_is_not_resized() -> None:
    bare: JSON = {"containers": [{"name": "web", "image": "web:1"}]}
    pod = a_pod({**SPEC, **bare}, made(**bare))
    (only,) = steps(a_shadow(**bare), pod)
    assert patched(only) == {}


def test_what_is_asked_for_goes_before_what_a_limit_stands_for() -> None:
    size = {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}}
    resize, _ = steps(a_shadow(containers=[{**WEB, "resources": size}]), a_pod())
    whole = {**size, "requests": {"cpu": "1", "memory": "1Gi"}}
    assert patched(resize) == {"spec": {"containers": [{"name": "web", "resources": whole}]}}


def test_ephemeral_containers_come_to_the_pod_that_runs_and_not_to_the_next() -> None:
    shadow = a_shadow(ephemeralContainers=[LOOK])
    attach, remember = steps(shadow, a_pod())
    assert isinstance(attach, Patch)
    assert attach.subresource == "ephemeralcontainers"
    assert attach.change == {"spec": {"ephemeralContainers": [LOOK]}}
    assert recorded(remember).generation == 2
    next_one = a_pod(record=made_of(shadow, ["look"]))
    assert list(steps(shadow, next_one)) == []
    other = {**LOOK, "name": "again"}
    attach, _ = steps(a_shadow(3, ephemeralContainers=[LOOK, other]), next_one)
    assert isinstance(attach, Patch)
    assert attach.change == {"spec": {"ephemeralContainers": [other]}}


def test_an_ephemeral_container_that_was_refused_does_not_hold_up_the_next() -> None:
    better = {**LOOK, "name": "better"}
    first, second, _ = steps(a_shadow(3, ephemeralContainers=[LOOK, better]), a_pod())
    assert patched(first) == {"spec": {"ephemeralContainers": [better]}}
    assert patched(second) == {"spec": {"ephemeralContainers": [LOOK]}}


def test_a_pod_of_others_making_is_put_on_record_and_followed_from_then_on() -> None:
    pod = a_pod(annotations={"why": "tests"})
    (only,) = steps(a_shadow(1), pod)
    assert patched(only) == {}
    assert recorded(only) == made()
    first, _, _ = steps(a_shadow(containers=[{**WEB, "image": "2", "resources": {"a": {}}}]), pod)
    assert patched(first) == {"spec": {"containers": [{"name": "web", "image": "2"}]}}
