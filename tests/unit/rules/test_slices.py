"""Which virtual nodes are made of one slice, and what is told of it on them."""

from __future__ import annotations

import pytest

from liqo.api import labels
from liqo.api.authentication import ResourceSlice, ResourceSliceCondition, ResourceSliceStatus
from liqo.api.meta import Meta
from liqo.api.offloading import VirtualNode, VirtualNodeSpec
from liqo.api.values import LocalReference
from liqo.rules.slices import beside, explained, follows, largest_pod, slice_of

OF_POOL = "kubeconfig-resourceslice-pool"


def a_node(name: str, label: str = "", secret: str = "", namespace: str = "home") -> VirtualNode:
    marks = {labels.RESOURCE_SLICE_NAME: label} if label else {}
    named = LocalReference(name=secret) if secret else None
    return VirtualNode(
        metadata=Meta(name=name, namespace=namespace, labels=marks),
        spec=VirtualNodeSpec(kubeconfig_secret_ref=named),
    )


@pytest.mark.parametrize(
    ("label", "secret", "expected"),
    [
        ("pool", OF_POOL, "pool"),
        ("pool", "", "pool"),
        ("", OF_POOL, "pool"),
        ("other", OF_POOL, "other"),
        ("", "mine", ""),
        ("", "kubeconfig-controlplane-milan", ""),
        ("", "", ""),
    ],
)
def test_a_slice_is_known_by_the_label_of_its_node_or_by_its_credential(
    label: str, secret: str, expected: str
) -> None:
    node = a_node("pool", label, secret)
    assert slice_of(node) == expected
    assert follows(node) is bool(label)


def test_those_of_one_slice_share_it_however_they_were_made() -> None:
    known = [
        first := a_node("pool", "pool", OF_POOL),
        second := a_node("pool-too", "", OF_POOL),
        other := a_node("other", "other"),
        by_hand := a_node("mine", "", "mine"),
        a_node("yours", "", "mine"),
        a_node("elsewhere", "pool", OF_POOL, namespace="another"),
    ]
    assert beside(first, known) == ["pool-too"]
    assert beside(second, known) == ["pool"]
    assert beside(other, known) == beside(by_hand, known) == []


def granted(*messages: str) -> ResourceSlice:
    said = tuple(
        ResourceSliceCondition(type="Resources", status="Accepted", message=each)
        for each in messages
    )
    return ResourceSlice(status=ResourceSliceStatus(conditions=said))


def test_what_fits_on_one_node_is_told_where_the_provider_tells_it() -> None:
    told = granted("cpu 9 = 9\nlargest pod on one of 2 nodes: memory 60Gi, cpu 5")
    assert largest_pod(told) == {"offloading.liqo.io/largest-pod": "cpu=5,memory=60Gi"}
    assert explained(granted("accepted")) == "accepted"
    assert explained(granted()) == ""
    for silent in (granted("accepted"), granted("cpu 9 = 9"), granted()):
        assert largest_pod(silent) == {}
