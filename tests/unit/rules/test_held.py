"""What a pod still holds although its ShadowPod says less, and from when on it does not."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON, Meta
from liqo.api.offloading import ShadowPod, ShadowPodSpec, ShadowPodStatus
from liqo.api.sizes import PodSize, size_of
from liqo.rules.held import has_its_size, still_held, to_hold
from liqo.rules.quantity import NANO

MARK = "offloading.liqo.io/still-takes"


def raw(content: JSON) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(content))


def of(**requests: str) -> JSON:
    return {"containers": [{"name": "web", "resources": {"requests": requests}}]}


def a_size(**requests: str) -> PodSize:
    return size_of(raw(of(**requests)))


def a_shadow(told: str = "", observed: int | None = None, pod: JSON | None = None) -> ShadowPod:
    return ShadowPod(
        metadata=Meta(generation=3, annotations={MARK: told} if told else {}),
        spec=ShadowPodSpec(raw_pod=raw(pod or of(cpu="1"))),
        status=None
        if observed is None
        else ShadowPodStatus(phase="Running", observed_generation=observed),
    )


def test_who_gets_smaller_holds_what_was_more() -> None:
    small, large = a_size(cpu="1", memory="1Gi"), a_size(cpu="10", memory="1Gi")
    assert to_hold({}, large, small) == '{"cpu":"10"}'
    assert to_hold({}, a_size(memory="2Gi"), small) == '{"memory":"2Gi"}'
    assert to_hold({}, large, PodSize()) == '{"cpu":"10","memory":"1Gi","pods":"1"}'


def test_who_grows_or_stays_holds_nothing_more() -> None:
    assert to_hold({}, a_size(cpu="1"), a_size(cpu="2")) == ""
    assert to_hold({}, a_size(cpu="1"), a_size(cpu="1000m")) == ""


def test_what_is_held_already_is_held_on() -> None:
    held = {"cpu": 10 * NANO}
    assert to_hold(held, a_size(cpu="1"), a_size(cpu="1")) == '{"cpu":"10"}'
    assert to_hold(held, a_size(cpu="1"), a_size(cpu="5")) == '{"cpu":"10"}'
    assert to_hold(held, a_size(cpu="1"), a_size(cpu="10")) == ""
    assert to_hold(held, a_size(cpu="12"), a_size(cpu="1")) == '{"cpu":"12"}'


@pytest.mark.parametrize(
    ("told", "observed", "expected"),
    [
        ("", None, {}),
        ('{"cpu":"10"}', None, {"cpu": 10 * NANO}),
        ('{"cpu":"10"}', 2, {"cpu": 10 * NANO}),
        ('{"cpu":"10"}', 3, {}),
        ("{", None, {}),
        ('{"cpu":"many"}', None, {}),
    ],
)
def test_it_is_held_until_its_generation_is_carried_out(
    told: str, observed: int | None, expected: JSON
) -> None:
    assert still_held(a_shadow(told, observed)) == expected


def a_pod(spec: JSON, node: str = "n1", generation: int = 2, **status: Any) -> Pod:
    return Pod(
        metadata=Meta(generation=generation),
        raw_spec=raw({**spec, "nodeName": node}),
        raw_status=raw(status) if status else msgspec.Raw(b"null"),
    )


def told(**amounts: str) -> JSON:
    return {"name": "web", "resources": {"requests": amounts}}


WAITING: JSON = {"name": "web", "state": {"waiting": {}}}


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        (a_pod(of(cpu="1"), containerStatuses=[told(cpu="1")]), True),
        (a_pod(of(cpu="1"), containerStatuses=[told(cpu="999m")]), True),
        # Refused, or not sent yet.
        (a_pod(of(cpu="10"), containerStatuses=[told(cpu="10")]), False),
        # Its node has not done it.
        (a_pod(of(cpu="1"), containerStatuses=[told(cpu="10")]), False),
        (a_pod(of(cpu="1"), containerStatuses=[told(cpu="10")], observedGeneration=2), False),
        (
            a_pod(
                of(cpu="1"),
                containerStatuses=[{**told(cpu="1"), "allocatedResources": {"cpu": "10"}}],
            ),
            False,
        ),
        # It grew and shrank again faster than its node tells: of what, it has not told yet.
        (a_pod(of(cpu="1"), containerStatuses=[told(cpu="1")], observedGeneration=1), False),
        (a_pod(of(cpu="1"), containerStatuses=[told(cpu="1")], observedGeneration=2), True),
        # Nobody runs it yet; or nobody knows whether its node has heard.
        (a_pod(of(cpu="1"), node=""), True),
        (a_pod(of(cpu="10"), node=""), False),
        (a_pod(of(cpu="1")), False),
        (a_pod(of(cpu="1"), containerStatuses=[WAITING]), False),
        (a_pod(of(cpu="1"), containerStatuses=[WAITING], observedGeneration=1), False),
        (a_pod(of(cpu="1"), containerStatuses=[WAITING], observedGeneration=2), True),
        (a_pod(of(cpu="1"), generation=0, containerStatuses=[WAITING]), False),
        # What the provider added is no part of it.
        (
            a_pod(
                of(cpu="1", memory="1Gi"),
                containerStatuses=[told(cpu="1", memory="1Gi"), {"name": "added"}],
            ),
            True,
        ),
    ],
)
def test_a_pod_has_its_size_once_its_node_says_so(pod: Pod, expected: bool) -> None:
    assert has_its_size(a_shadow(), pod) is expected


@pytest.mark.parametrize("condition", ["PodResizePending", "PodResizeInProgress"])
def test_what_is_put_off_or_impossible_is_not_done(condition: str) -> None:
    for status, expected in (("True", False), ("False", True)):
        pod = a_pod(
            of(cpu="1"),
            containerStatuses=[told(cpu="1")],
            conditions=[{"type": "Ready", "status": "True"}, {"type": condition, "status": status}],
        )
        assert has_its_size(a_shadow(), pod) is expected


def test_sidecars_count_and_what_runs_once_does_not() -> None:
    sidecar = {"name": "proxy", "restartPolicy": "Always"}
    first = {"name": "first", "resources": {"requests": {"cpu": "5"}}}

    def spec(cpu: str) -> JSON:
        size = {"requests": {"cpu": cpu}}
        return {**of(cpu="1"), "initContainers": [{**sidecar, "resources": size}, first]}

    def proxy(cpu: str) -> JSON:
        return {"name": "proxy", "resources": {"requests": {"cpu": cpu}}}

    shadow = a_shadow(pod=spec("1"))
    for cpu, expected in (("1", True), ("2", False)):
        pod = a_pod(
            spec("1"), containerStatuses=[told(cpu="1")], initContainerStatuses=[proxy(cpu)]
        )
        assert has_its_size(shadow, pod) is expected
