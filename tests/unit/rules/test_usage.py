"""What a pod takes, as Kubernetes counts it."""

import msgspec
import pytest

from liqo.api.meta import JSON
from liqo.api.sizes import size_of
from liqo.rules.quantity import Quantity
from liqo.rules.usage import requested, taken


def container(restart: str = "", limits: JSON | None = None, **requests: str) -> JSON:
    policy = {"restartPolicy": restart} if restart else {}
    sizes = {"requests": requests, **({"limits": limits} if limits else {})}
    return {"name": "c", "resources": sizes, **policy}


CASES: dict[str, tuple[JSON, dict[str, str]]] = {
    "containers run side by side": (
        {"containers": [container(cpu="1", memory="1Gi"), container(cpu="500m")]},
        {"cpu": "1500m", "memory": "1Gi"},
    ),
    "those before them one after the other": (
        {
            "containers": [container(cpu="1")],
            "initContainers": [container(cpu="3"), container(cpu="2", memory="1Gi")],
        },
        {"cpu": "3", "memory": "1Gi"},
    ),
    "what is compared is exact": (
        {
            "containers": [container(cpu="100m")],
            "initContainers": [container(cpu="150m"), container(cpu="900m")],
        },
        {"cpu": "900m"},
    ),
    "a sidecar stays": (
        {"containers": [container(cpu="1")], "initContainers": [container("Always", cpu="2")]},
        {"cpu": "3"},
    ),
    "who comes after a sidecar runs beside it": (
        {
            "containers": [container(cpu="1")],
            "initContainers": [
                container(cpu="1"),
                container("Always", cpu="2"),
                container(cpu="4"),
            ],
        },
        {"cpu": "6"},
    ),
    "a limit alone is a request": (
        {"containers": [container(limits={"cpu": "2", "nvidia.com/gpu": 1}, cpu="1")]},
        {"cpu": "1", "nvidia.com/gpu": "1"},
    ),
    "the pod as a whole has the last word": (
        {"containers": [container(cpu="1")], "resources": {"requests": {"cpu": "5"}}},
        {"cpu": "5"},
    ),
    "but never takes back what a container asks for": (
        {"containers": [container(cpu="1")], "resources": {"requests": {"cpu": "0"}}},
        {"cpu": "1"},
    ),
    "what it may take as a whole is what it asks for": (
        {"containers": [{"name": "c"}], "resources": {"limits": {"cpu": "64", "memory": "1Gi"}}},
        {"cpu": "64", "memory": "1Gi"},
    ),
    "where no container asks for less": (
        {"containers": [container(cpu="1")], "resources": {"limits": {"cpu": "64"}}},
        {"cpu": "1"},
    ),
    "what its runtime needs comes on top": (
        {"containers": [container(cpu="1")], "overhead": {"cpu": "250m", "memory": "64Mi"}},
        {"cpu": "1250m", "memory": "64Mi"},
    ),
    "nothing is asked for": ({"containers": [{"name": "c"}]}, {}),
    "nothing runs": ({"containers": None}, {}),
}


@pytest.mark.parametrize("case", CASES)
def test_a_pod_asks_for(case: str) -> None:
    pod, expected = CASES[case]
    found = requested(size_of(msgspec.json.encode(pod)))
    assert {name: str(Quantity(amount)) for name, amount in found.items() if name != "memory"} == {
        name: amount for name, amount in expected.items() if name != "memory"
    }
    memory = found.get("memory")
    assert (str(Quantity(memory, "binary")) if memory else None) == expected.get("memory")


def test_a_pod_is_a_pod() -> None:
    assert taken(size_of(b'{"containers": []}')) == {"pods": 10**9}
