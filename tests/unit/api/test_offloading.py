"""Kinds of offloading.liqo.io: nothing is lost, and what counts as nothing."""

import msgspec
import pytest

from liqo.api.meta import JSON, Resource
from liqo.api.offloading import (
    CRDS,
    ShadowPod,
    VirtualNode,
    VirtualNodeSpec,
    VirtualNodeStatus,
    VkOptionsTemplateSpec,
)
from tests import wire

SEEN = wire.objects(CRDS)


@pytest.mark.parametrize(("model", "seen"), SEEN.values(), ids=SEEN)
def test_an_object_of_the_wire_loses_nothing_in_its_model(
    model: type[Resource], seen: JSON
) -> None:
    assert wire.survives(model, seen)


def test_a_pod_of_a_newer_kubernetes_crosses_us_unharmed() -> None:
    pod = {"containers": [{"name": "web", "fromTheFuture": {"deep": [1, 2]}}], "alsoNew": None}
    read = msgspec.json.decode(msgspec.json.encode({"spec": {"pod": pod}}), type=ShadowPod)
    assert read.spec.pod == pod
    assert msgspec.json.decode(msgspec.json.encode(read)) == {"spec": {"pod": pod}}


def test_a_shadow_pod_without_a_pod_has_an_empty_one() -> None:
    assert ShadowPod().spec.pod == {}


def test_what_the_wire_requires_is_written_even_when_false() -> None:
    options = VkOptionsTemplateSpec(
        container_image="kubelet",
        create_node=False,
        disable_network_check=False,
        metrics_enabled=False,
    )
    assert msgspec.to_builtins(options) == {
        "containerImage": "kubelet",
        "createNode": False,
        "disableNetworkCheck": False,
        "metricsEnabled": False,
    }


def test_false_is_written_where_it_is_not_the_same_as_absent() -> None:
    assert msgspec.to_builtins(VirtualNodeSpec(create_node=False)) == {"createNode": False}
    assert msgspec.to_builtins(VirtualNodeSpec()) == {}


def test_an_empty_status_is_written_where_it_was_made_on_purpose() -> None:
    assert msgspec.to_builtins(VirtualNode(status=VirtualNodeStatus())) == {"status": {}}
    assert msgspec.to_builtins(VirtualNode()) == {}
