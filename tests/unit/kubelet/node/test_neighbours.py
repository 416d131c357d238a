"""Who shares the slice of our node, and what is out for them."""

from __future__ import annotations

from typing import Any

from liqo.api import labels
from liqo.api.meta import Key, Meta, Resource
from liqo.api.offloading import PodPhase, ShadowPod, VirtualNode, VirtualNodeSpec
from liqo.api.values import LocalReference
from liqo.kubelet.node.neighbours import Neighbours
from liqo.rules.fit import Bound
from liqo.rules.usage import amounts
from tests.unit.kubelet.pods.test_controller import views
from tests.unit.kubelet.pods.things import SITE, a_shadow, asking, marks

OF_SLICE = {labels.RESOURCE_SLICE_NAME: "milan"}


def a_node(name: str, marks: dict[str, str] | None = None, slice_: str = "milan") -> VirtualNode:
    credential = LocalReference(name=f"kubeconfig-resourceslice-{slice_}")
    metadata = Meta(
        name=name, namespace="liqo-tenant-milan", labels=marks or {}, resource_version="1"
    )
    return VirtualNode(metadata=metadata, spec=VirtualNodeSpec(kubeconfig_secret_ref=credential))


def out(name: str, node: str, phase: PodPhase | None = None, **more: Any) -> ShadowPod:
    origin, cpu = more.pop("origin", "rome"), more.pop("cpu", "2")
    metadata = {
        "labels": marks(**{labels.NODE_NAME: node, labels.ORIGIN: origin}),
        "annotations": {labels.LOCAL_POD_UID: f"uid-{name}"},
        "creation_timestamp": "2026-11-15T10:01:00Z",
    }
    return a_shadow(phase, asking(cpu), name=name, **{**metadata, **more})


async def around(*there: Resource) -> Neighbours:
    seen = await views(*there)
    return Neighbours(SITE, seen.atlas, seen.virtual_nodes, seen.shadows)


async def test_those_that_share_the_slice_are_neighbours_of_the_one_that_follows_it() -> None:
    others = a_node("too"), a_node("also"), a_node("other", slice_="other")
    assert (await around(a_node("milan", OF_SLICE), *others)).names() == ("also", "too")
    assert (await around(a_node("milan", OF_SLICE))).names() == ()
    assert (await around(a_node("milan"), *others)).names() == (), "it is its owner's"
    assert (await around(*others)).names() == (), "it is gone"


async def test_their_pods_are_those_that_are_out_for_them() -> None:
    [(pod, bound)] = (
        await around(
            out("theirs", "too"),
            out("ours", "milan"),
            out("of-another-slice", "other"),
            out("done", "too", "Succeeded"),
            out("of-another-cluster", "too", origin="turin"),
            out("elsewhere", "too", namespace="nobody-knows"),
        )
    ).pods(("too",))
    assert (pod.key, pod.metadata.uid) == (Key("shop", "theirs"), "uid-theirs")
    asked = amounts({"cpu": "2", "pods": 1})
    assert bound == Bound(pod.key, "2026-11-15T10:01:00Z", asked)


async def test_one_that_runs_counts_and_one_that_makes_no_sense_takes_nothing() -> None:
    there = await around(out("runs", "too", "Running"), out("odd", "too", cpu="many"))
    found = {pod.metadata.name: dict(bound.asked) for pod, bound in there.pods(("too",))}
    assert found == {"runs": amounts({"cpu": "2", "pods": 1}), "odd": {}}
