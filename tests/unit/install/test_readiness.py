"""Is it up, and if not, why."""

import json
from typing import Any

import msgspec
import pytest

from liqo.api.aggregation import APIService
from liqo.api.kubernetes import CustomResourceDefinition, Deployment, Pod
from liqo.api.meta import Meta
from liqo.install.readiness import is_available, is_established, is_ready, why_not

UP = {"observedGeneration": 2, "replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}


def raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(value).encode())


def deployment(**status: Any) -> Deployment:
    return Deployment(
        metadata=Meta(name="liqo-webhook", generation=2),
        raw_spec=raw({"replicas": 1}),
        raw_status=raw(status),
    )


def pod(**status: Any) -> Pod:
    return Pod(metadata=Meta(name="liqo-webhook-abc"), raw_status=raw(status))


def waiting(reason: str, message: str = "") -> dict[str, Any]:
    state = {"waiting": {"reason": reason, "message": message}}
    return {"image": "liqo:v1", "state": state, "lastState": {}}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, True),
        ({"observedGeneration": 1}, False),
        ({"updatedReplicas": 0}, False),
        ({"availableReplicas": 0}, False),
        ({"replicas": 2}, False),
    ],
)
def test_a_deployment_is_ready_when_all_of_it_is_new_and_available(
    change: dict[str, int], expected: bool
) -> None:
    assert is_ready(deployment(**{**UP, **change})) is expected


def test_a_deployment_that_nobody_has_looked_at_is_not_ready() -> None:
    assert not is_ready(deployment())


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([{"type": "Established", "status": "True"}], True),
        ([{"type": "Established", "status": "False"}], False),
        (None, False),
    ],
)
def test_a_definition_is_established_when_it_says_so(conditions: object, expected: bool) -> None:
    found = CustomResourceDefinition(raw_status=raw({"conditions": conditions}))
    assert is_established(found) is expected


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (
            {
                "conditions": [
                    {"type": "PodScheduled", "status": "False", "message": "0/1 nodes:\n too small"}
                ]
            },
            'the pod "liqo-webhook-abc" is not scheduled: 0/1 nodes: too small',
        ),
        (
            {"containerStatuses": [waiting("ImagePullBackOff", "not found")]},
            'the pod "liqo-webhook-abc" has no image liqo:v1 (ImagePullBackOff): not found',
        ),
        (
            {
                "containerStatuses": [
                    {
                        **waiting("CrashLoopBackOff", "back-off"),
                        "lastState": {
                            "terminated": {"exitCode": 1, "message": "a\nno such flag\n"}
                        },
                    }
                ]
            },
            'the pod "liqo-webhook-abc" crashes with exit code 1: no such flag',
        ),
        (
            {
                "containerStatuses": [
                    {
                        "image": "x",
                        "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}},
                    }
                ]
            },
            'the pod "liqo-webhook-abc" crashes with exit code 137: OOMKilled',
        ),
        (
            {"containerStatuses": [waiting("CreateContainerConfigError", "no ConfigMap")]},
            'the pod "liqo-webhook-abc" waits (CreateContainerConfigError): no ConfigMap',
        ),
        (
            {"phase": "Running", "containerStatuses": [{"image": "x", "state": {"running": {}}}]},
            'the pod "liqo-webhook-abc" is Running and not ready',
        ),
        ({"phase": "Pending"}, 'the pod "liqo-webhook-abc" is Pending and not ready'),
    ],
)
def test_the_reason_is_one_line(status: dict[str, Any], reason: str) -> None:
    said = why_not(deployment(), [pod(**status)])
    assert said == f'the Deployment "liqo-webhook" is not ready: {reason}'


def test_without_a_pod_the_deployment_itself_is_asked() -> None:
    failed = {"type": "ReplicaFailure", "status": "True", "message": "exceeded quota"}
    assert why_not(deployment(conditions=[failed]), []).endswith(
        "no pod can be made: exceeded quota"
    )
    assert why_not(deployment(), []).endswith("no pod has been made yet")


def test_of_several_pods_the_one_with_a_trouble_speaks() -> None:
    well = pod(conditions=[{"type": "Ready", "status": "True"}])
    said = why_not(deployment(), [well, pod(phase="Pending")])
    assert said.endswith("is Pending and not ready")


@pytest.mark.parametrize(("said", "expected"), [("True", True), ("False", False), ("", False)])
def test_an_api_is_available_when_the_api_server_says_so(said: str, expected: bool) -> None:
    status = {"conditions": [{"type": "Available", "status": said}]} if said else {}
    assert is_available(APIService(raw_status=raw(status))) is expected
