"""The Deployment of a virtual kubelet, as the wire has it."""

from __future__ import annotations

import pytest
from msgspec import convert
from msgspec.structs import replace

from liqo.api.meta import Meta
from liqo.api.offloading import VirtualNode, VirtualNodeSpec, VkOptionsTemplateSpec
from liqo.api.values import IngressClass, LoadBalancerClass, LocalReference, StorageClass
from liqo.rules.kubelets import (
    Surroundings,
    arguments,
    deployment,
    with_arguments,
    with_policies,
)

ROME = Surroundings("rome", "liqo", ("10.71.0.0/22",))
NODE = VirtualNode(
    metadata=Meta(name="milan", namespace="liqo-tenant-milan"),
    spec=VirtualNodeSpec(cluster_id="milan"),
)
OPTIONS = VkOptionsTemplateSpec(
    container_image="liqo:1", create_node=True, disable_network_check=False, metrics_enabled=False
)


def test_little_is_said_where_little_is_wanted() -> None:
    made = deployment(NODE, OPTIONS, ROME)
    own = {
        "offloading.liqo.io/component": "virtual-kubelet",
        "liqo.io/remote-cluster-id": "milan",
        "liqo.io/virtual-node": "milan",
    }
    where = {"name": "vk-milan", "namespace": "liqo-tenant-milan", "labels": own}
    assert made["metadata"] == where
    assert made["spec"]["selector"] == {"matchLabels": own}
    assert made["spec"]["template"]["metadata"] == {"labels": own}
    assert set(made["spec"]["template"]["spec"]) == {"serviceAccountName", "containers"}


def test_the_options_go_everywhere_but_into_the_selector() -> None:
    told = replace(
        OPTIONS,
        extra_labels={"team": "blue", "liqo.io/virtual-node": "mine"},
        extra_annotations={"note": "x"},
        image_pull_secrets=(LocalReference(name="pull"),),
        tolerations=({"operator": "Exists"},),
        pull_policy="Always",
        resources={"limits": {"cpu": "1"}},
    )
    made = deployment(NODE, told, ROME)["spec"]
    pod, labels = made["template"]["spec"], made["template"]["metadata"]["labels"]
    assert (labels["team"], labels["liqo.io/virtual-node"]) == ("blue", "milan")
    assert "team" not in made["selector"]["matchLabels"]
    assert made["template"]["metadata"]["annotations"] == {"note": "x"}
    assert pod["imagePullSecrets"] == [{"name": "pull"}]
    assert pod["tolerations"] == [{"operator": "Exists"}]
    [container] = pod["containers"]
    assert container["imagePullPolicy"] == "Always"
    assert container["resources"] == {"limits": {"cpu": "1"}}


def test_of_several_classes_the_default_one_is_meant_and_else_the_first() -> None:
    spec = replace(
        NODE.spec,
        storage_classes=(
            StorageClass(storage_class_name="slow"),
            StorageClass(storage_class_name="fast", default=True),
        ),
        ingress_classes=(IngressClass(ingress_class_name="nginx"),),
        load_balancer_classes=(LoadBalancerClass(load_balancer_class_name="metal"),),
    )
    said = list(arguments(replace(NODE, spec=spec), OPTIONS, ROME))
    assert said[7:13] == [
        "--enable-storage",
        "--remote-real-storage-class-name=fast",
        "--enable-ingress",
        "--remote-real-ingress-class-name=nginx",
        "--enable-load-balancer",
        "--remote-real-load-balancer-class-name=metal",
    ]


def test_labels_of_the_node_and_further_arguments_are_handed_on() -> None:
    told = convert(
        {
            "containerImage": "liqo:1",
            "createNode": True,
            "disableNetworkCheck": False,
            "metricsEnabled": True,
            "metricsAddress": "nowhere",
            "nodeExtraLabels": {"a": "1", "b": "2"},
            "nodeExtraAnnotations": {"c": "3"},
            "extraArgs": ["--flag"],
            "reflectorsConfig": {"secret": {"workers": 1}, "odd": {"workers": 2, "type": "x"}},
            "customResources": [
                {"group": "a.org", "version": "v1", "kind": kind.title(), "resource": f"{kind}s"}
                for kind in ("widget", "job")
            ],
        },
        VkOptionsTemplateSpec,
    )
    said = list(arguments(NODE, told, Surroundings("rome", "liqo")))
    assert said[6:] == [
        "--secret-reflection-workers=1",
        "--custom-resources=widgets.v1.a.org/Widget,jobs.v1.a.org/Job",
        "--node-extra-annotations=c=3",
        "--node-extra-labels=a=1,b=2",
        "--flag",
        "--metrics-enabled=true",
        "--metrics-address=nowhere",
    ]
    [container] = deployment(NODE, told, ROME)["spec"]["template"]["spec"]["containers"]
    assert "ports" not in container


def test_an_argument_is_replaced_in_its_place_or_added_at_the_end() -> None:
    given = ["--a=1", "--enable", "--b=2", "--b=3"]
    assert with_arguments(given, ["--b=4", "--c", "--a=5"]) == [
        "--a=5",
        "--enable",
        "--b=4",
        "--b=3",
        "--c",
    ]


@pytest.mark.parametrize(
    ("given", "before", "expected"),
    [
        ("--a --b", "--a --secret-reflection-type=X --b", "--a --secret-reflection-type=X --b"),
        ("--b", "--secret-reflection-type=X --b", "--secret-reflection-type=X --b"),
        ("--b", "--a --secret-reflection-type=X --b", "--secret-reflection-type=X --b"),
        ("--a --c --b", "--a --secret-reflection-type=X", "--a --secret-reflection-type=X --c --b"),
        (
            "--a=1 --a=2",
            "--a=1 --event-reflection-workers=1",
            "--a=1 --a=2 --event-reflection-workers=1",
        ),
        ("--a", "--a --b --pod-reflection-workers=1", "--a"),
        (
            "--a --secret-reflection-type=Y",
            "--secret-reflection-type=X --a",
            "--a --secret-reflection-type=Y",
        ),
        ("--a", "", "--a"),
    ],
    ids=[
        "where they stood",
        "at the beginning",
        "what they followed is not there any more",
        "what is new comes after them",
        "after the last of several",
        "others do not come back",
        "what is given by hand is left",
        "none",
    ],
)
def test_policies_stand_where_they_stood(given: str, before: str, expected: str) -> None:
    assert with_policies(given.split(), before.split()) == expected.split()
