"""What the decision is told of its virtual node, and who is looked at when there may be room."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from liqo.api import labels
from liqo.api.meta import Key, Meta
from liqo.api.offloading import ShadowPodStatus, VirtualNode, VirtualNodeSpec
from liqo.api.values import ObjectReference, ResourceQuota
from liqo.kube.cache import Cache
from liqo.kubelet.pods.controller import abroad, at_home, departed, observe, offering
from liqo.kubelet.pods.fit import TOO_LARGE
from liqo.kubelet.pods.room import Room
from liqo.kubelet.pods.status import ACCEPTED
from liqo.rules.fit import Shortage
from liqo.rules.quantity import parse
from tests.unit.kubelet.pods.test_controller import KEY, around, views
from tests.unit.kubelet.pods.things import (
    BOUND,
    OVER_QUOTA,
    SITE,
    a_pod,
    a_remote,
    a_shadow,
    asking,
)


def a_virtual_node(cpu: str, **annotations: str) -> VirtualNode:
    return VirtualNode(
        metadata=Meta(name="milan", namespace="liqo-tenant-milan", resource_version="1"),
        spec=VirtualNodeSpec(
            resource_quota=ResourceQuota(hard={"cpu": cpu}), annotations=annotations
        ),
    )


async def test_a_pod_that_is_to_go_out_is_measured_against_the_nodes_there() -> None:
    node = a_virtual_node("90", **{labels.LARGEST_POD: "cpu=25"})
    local = a_pod(BOUND, asking("30"))
    state = observe(await views(node, local=local), around(), KEY)
    assert state is not None
    assert state.excess == Shortage("cpu", parse("30"), parse("25"))
    for out in (await views(node, a_shadow(), local=local), await views(local=local)):
        state = observe(out, around(), KEY)
        assert state is not None
        assert state.excess is None


async def test_a_pod_that_is_to_go_out_is_seen_with_its_node_that_leaves() -> None:
    node = a_virtual_node("90")
    going = msgspec.structs.replace(node.metadata, deletion_timestamp="2026-11-16T00:00:00Z")
    for there, expected in ((node, False), (msgspec.structs.replace(node, metadata=going), True)):
        state = observe(await views(there), around(), KEY)
        assert state is not None
        assert state.is_leaving is expected


async def test_what_has_no_pod_is_seen_with_a_node_that_leaves() -> None:
    node = msgspec.structs.replace(a_virtual_node("90"), spec=VirtualNodeSpec(create_node=False))
    state = observe(await views(node, a_shadow(), local=None), around(), KEY)
    assert state is not None
    assert state.is_leaving


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (VirtualNodeSpec(), ()),
        (VirtualNodeSpec(create_node=True, labels={"colour": "red"}), ()),
        (VirtualNodeSpec(create_node=False), (KEY,)),
        (VirtualNodeSpec(vk_options_template_ref=ObjectReference(name="quiet")), (KEY,)),
    ],
    ids=["nothing new", "nothing that concerns pods", "it stays after all", "other options"],
)
async def test_every_pod_is_looked_at_when_its_node_is_another_to_it(
    before: VirtualNodeSpec, expected: tuple[Key, ...]
) -> None:
    now = a_virtual_node("90")
    seen = await views(now, a_shadow())
    was = msgspec.structs.replace(now, spec=before)
    assert offering(seen, SITE, Room(), was) == expected
    assert offering(seen, SITE, Room(), now) == (), "said once"


async def test_who_was_refused_is_looked_at_when_there_may_be_room() -> None:
    seen, room = await views(a_shadow(), local=a_pod(OVER_QUOTA)), Room()
    assert isinstance(seen.pods, Cache)
    waiting, gone = seen.pods.values()[0], a_pod(name="web-1")
    shadow = seen.shadows.values()[0]
    assert at_home(seen, room, waiting) == (KEY,)
    assert at_home(seen, room, gone) == (gone.key, KEY)
    assert at_home(seen, room, a_pod()) == (KEY,), "what it was decides nothing"
    assert abroad(seen, room, a_shadow(name="web-1")) == (gone.key, KEY)
    assert abroad(seen, room, a_shadow("Running")) == (KEY,), "the same of what is there"
    assert departed(seen, room, a_remote(name="web-1")) == (gone.key, KEY)
    assert abroad(seen, room, shadow) == (KEY,), "it got in, and nobody else waits"
    assert abroad(seen, room, a_shadow(namespace="bank-rome")) == ()


async def test_who_was_refused_is_looked_at_when_a_pod_of_another_node_has_shrunk() -> None:
    held, room = {labels.STILL_TAKES: '{"cpu":"80m"}'}, Room()
    before = a_shadow("Unknown", name="web-1", generation=2, annotations=held)
    before.metadata.labels[labels.NODE_NAME] = "milan-2"
    seen = await views(before, local=a_pod(OVER_QUOTA))
    at_home(seen, room, seen.pods.values()[0])
    assert KEY not in abroad(seen, room, before)
    status = ShadowPodStatus("Unknown", observed_generation=2)
    metadata = msgspec.structs.replace(before.metadata, resource_version="2")
    after = msgspec.structs.replace(before, metadata=metadata, status=status)
    seen = await views(after, local=a_pod(OVER_QUOTA))
    assert KEY in abroad(seen, room, after)


async def test_who_was_refused_is_looked_at_when_its_node_offers_more() -> None:
    seen, room = await views(local=a_pod(OVER_QUOTA)), Room()
    at_home(seen, room, seen.pods.values()[0])
    assert offering(seen, SITE, room, a_virtual_node("4")) == ()
    other = msgspec.structs.replace(a_virtual_node("8"), metadata=Meta(name="milan-2"))
    assert offering(seen, SITE, room, other) == ()
    assert offering(seen, SITE, room, a_virtual_node("8")) == (KEY,)


async def test_who_was_too_large_is_looked_at_when_one_node_has_room_for_it() -> None:
    reason = {"type": ACCEPTED, "status": "False", "reason": TOO_LARGE}
    local = a_pod({**BOUND, "conditions": [reason]}, asking("30"))
    seen, refusing = await views(local=local), replace(SITE, refuses_too_large=True)
    small, large = (
        a_virtual_node("90", **{labels.LARGEST_POD: f"cpu={size}"}) for size in ("25", "30")
    )
    assert offering(seen, refusing, Room(), small) == ()
    assert offering(seen, refusing, Room(), large) == (KEY,)
    assert offering(seen, SITE, Room(), large) == (), "where nobody is refused, nobody waits"
