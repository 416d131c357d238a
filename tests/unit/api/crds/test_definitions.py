"""Definitions of Kubernetes, put in place of their references."""

from liqo.api.crds.definitions import expand
from liqo.api.meta import JSON

OPEN = "x-kubernetes-preserve-unknown-fields"


def at(schema: JSON, *path: str) -> JSON:
    for name in path:
        schema = schema["items"] if name == "[]" else schema["properties"][name]
    return schema


def test_no_reference_is_left() -> None:
    assert "$ref" not in str(expand("DeploymentSpec"))


def test_a_pod_is_open_at_every_depth() -> None:
    pod = at(expand("DeploymentSpec"), "template", "spec")
    assert pod[OPEN]
    assert at(pod, "containers", "[]", "securityContext", "seccompProfile")[OPEN]


def test_what_is_around_a_pod_is_closed() -> None:
    deployment = expand("DeploymentSpec")
    assert OPEN not in deployment
    assert OPEN not in at(deployment, "selector")
    assert OPEN not in at(deployment, "template", "metadata")


def test_a_map_inside_a_pod_needs_no_opening() -> None:
    assert OPEN not in at(expand("PodSpec"), "nodeSelector")


def test_the_one_type_that_is_not_of_kubernetes_is_there() -> None:
    assert expand("ServiceMonitorSpec")["required"] == ["endpoints", "selector"]
