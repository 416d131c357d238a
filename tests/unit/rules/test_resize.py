"""What Kubernetes lets change of the size of a pod that runs, and what it does not."""

from __future__ import annotations

import msgspec
import pytest

from liqo.api.meta import JSON
from liqo.api.sizes import PodSize, size_of
from liqo.rules.resize import objections, qos_class


def a_pod(requests: JSON | None = None, limits: JSON | None = None, **more: object) -> PodSize:
    sizes = {"requests": requests, "limits": limits}
    return size_of(
        msgspec.json.encode({"containers": [{"name": "web", "resources": sizes}], **more})
    )


def init(size: JSON, **more: str) -> JSON:
    return {"initContainers": [{"name": "first", "resources": {"requests": size}, **more}]}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (a_pod(), a_pod()),
        (a_pod({"cpu": "1"}), a_pod({"cpu": "2"})),
        (a_pod({"cpu": "10", "memory": "1Gi"}), a_pod({"cpu": "1m", "memory": "2Gi"})),
        (a_pod({"cpu": "1"}), a_pod({"cpu": "1", "memory": "1Gi"}, {"cpu": "2"})),
        (a_pod({"cpu": "1", "nvidia.com/gpu": "1"}), a_pod({"cpu": "2", "nvidia.com/gpu": 1})),
        (
            a_pod(limits={"cpu": "1", "memory": "1Gi"}),
            a_pod({"cpu": "2"}, {"cpu": "2", "memory": "1Gi"}),
        ),
        (
            a_pod({"cpu": "1"}, **init({"cpu": "1"}, restartPolicy="Always")),
            a_pod({"cpu": "1"}, **init({"cpu": "2"}, restartPolicy="Always")),
        ),
        (
            a_pod({"cpu": "1"}, **init({"cpu": "1"})),
            a_pod({"cpu": "2"}, **init({"cpu": "1000m"})),
        ),
        (a_pod({"cpu": "abc"}), a_pod({"cpu": "abc"})),  # which is no pod, and as it was
        (a_pod({"cpu": "1"}, resources={}), a_pod({"cpu": "2"}, resources={})),
    ],
)
def test_cpu_and_memory_change(old: PodSize, new: PodSize) -> None:
    assert list(objections(old, new)) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            a_pod({"cpu": "10", "memory": "1Gi"}),
            a_pod({"memory": "1Gi"}),
            "requests of cpu of the container web can change, and not be taken away",
        ),
        (
            a_pod({"cpu": "1"}, {"cpu": "2"}),
            a_pod({"cpu": "1"}),
            "limits of cpu of the container web can change, and not be taken away",
        ),
        (
            a_pod({"cpu": "1", "nvidia.com/gpu": "1"}),
            a_pod({"cpu": "1", "nvidia.com/gpu": "0"}),
            "requests of nvidia.com/gpu of the container web stay: only cpu and memory change",
        ),
        (
            a_pod({"cpu": "1", "ephemeral-storage": "1Gi"}),
            a_pod({"cpu": "1"}),
            "requests of ephemeral-storage of the container web stay: only cpu and memory change",
        ),
        (
            a_pod({"cpu": "1"}, **init({"cpu": "2"})),
            a_pod({"cpu": "1"}, **init({"cpu": "1"})),
            "resources of the init container first stay",
        ),
        (a_pod(), a_pod({"cpu": "1"}), "its QoS class is BestEffort, and would become Burstable"),
        (
            a_pod({"cpu": "1", "memory": "1Gi"}, {"cpu": "1", "memory": "1Gi"}),
            a_pod({"cpu": "1", "memory": "1Gi"}, {"cpu": "2", "memory": "1Gi"}),
            "its QoS class is Guaranteed, and would become Burstable",
        ),
        (
            a_pod({"cpu": "1"}, resources={"limits": {"cpu": "4"}}),
            a_pod({"cpu": "2"}, resources={"limits": {"cpu": "4"}}),
            "a pod that says its size as a whole keeps that of its containers",
        ),
    ],
)
def test_nothing_else_does(old: PodSize, new: PodSize, expected: str) -> None:
    assert list(objections(old, new)) == [expected]


def test_a_pod_that_loses_its_size_loses_its_class_as_well() -> None:
    first, second = objections(a_pod({"cpu": "10"}), a_pod())
    assert "not be taken away" in first
    assert "would become BestEffort" in second


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        (PodSize(), "BestEffort"),
        (a_pod({"cpu": "0", "nvidia.com/gpu": "1"}), "BestEffort"),
        (a_pod({"cpu": "1"}), "Burstable"),
        (a_pod(limits={"cpu": "1"}), "Burstable"),
        (a_pod(limits={"cpu": "1", "memory": "1Gi"}), "Guaranteed"),
        (a_pod({"cpu": "1000m"}, {"cpu": "1", "memory": "1Gi"}), "Guaranteed"),
        (a_pod({"cpu": "0"}, {"cpu": "1", "memory": "1Gi"}), "Burstable"),
        (a_pod(limits={"cpu": "1", "memory": "1Gi"}, **init({})), "Burstable"),
    ],
)
def test_classes_are_those_of_kubernetes(pod: PodSize, expected: str) -> None:
    assert qos_class(pod) == expected
