"""Whose turn it is when there may be room."""

from __future__ import annotations

from typing import Any

import pytest

from liqo.api.labels import STILL_TAKES
from liqo.api.meta import Key, Meta
from liqo.api.offloading import ShadowPod, ShadowPodStatus, VirtualNode, VirtualNodeSpec
from liqo.api.values import ResourceQuota
from liqo.kubelet.pods.room import AT_A_TIME, Room, is_refused
from tests.unit.kubelet.pods.things import BOUND, OVER_QUOTA, a_pod, a_shadow, running

SUCCEEDED = {**OVER_QUOTA, "phase": "Succeeded"}

THERE = Key("shop-rome", "web-9")


def key(number: int) -> Key:
    return Key("shop", f"web-{number}")


def waiting(count: int) -> Room:
    room = Room()
    for number in range(count):
        assert room.after_pod(key(number), a_pod(OVER_QUOTA)) == ()
    return room


@pytest.mark.parametrize(
    ("status", "metadata", "expected"),
    [
        (OVER_QUOTA, {}, True),
        (BOUND, {}, False),
        (running(), {}, False),
        (SUCCEEDED, {}, False),
        (OVER_QUOTA, {"deletion_timestamp": "2026-11-15T10:17:59Z"}, False),
    ],
)
def test_who_waits_for_room_is_known_by_its_status(
    status: Any, metadata: Any, expected: bool
) -> None:
    assert is_refused(a_pod(status, **metadata)) is expected


@pytest.mark.parametrize(
    ("now", "expected"), [(None, (key(0),)), (SUCCEEDED, (key(0),)), (running(), ())]
)
def test_a_pod_that_goes_or_ends_leaves_room(now: Any, expected: tuple[Key, ...]) -> None:
    other = a_pod(now) if now is not None else None
    assert waiting(1).after_pod(key(9), other) == expected
    assert Room().after_pod(key(9), other) == ()


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (None, (key(0),)),
        (a_shadow("Failed"), (key(0),)),
        (a_shadow("Running"), ()),
        (a_shadow(), ()),
    ],
)
def test_so_does_a_shadow_pod(now: ShadowPod | None, expected: tuple[Key, ...]) -> None:
    assert waiting(1).after_shadow(key(9), now) == expected
    assert waiting(1).after_shadow(None, now) == expected
    assert Room().after_shadow(key(9), now) == ()


def shrinking(generation: int, seen: int) -> ShadowPod:
    metadata = Meta(generation=generation, annotations={STILL_TAKES: '{"cpu":"80m"}'})
    return ShadowPod(metadata=metadata, status=ShadowPodStatus("Unknown", seen))


def test_so_does_a_pod_that_has_shrunk_when_its_node_has_done_it() -> None:
    room = waiting(1)
    assert room.after_size(THERE, shrinking(2, 0)) == ()
    assert room.after_size(THERE, shrinking(2, 1)) == ()
    assert room.after_size(THERE, shrinking(2, 2)) == (key(0),)
    assert room.after_size(THERE, shrinking(2, 2)) == (), "once"
    assert room.after_size(THERE, a_shadow("Running")) == ()


def test_who_waits_only_since_a_pod_shrinks_is_tried_too() -> None:
    room = Room()
    assert room.after_size(THERE, shrinking(2, 0)) == ()
    room.after_pod(key(0), a_pod(OVER_QUOTA))
    assert room.after_size(THERE, shrinking(2, 2)) == (key(0),)


def test_a_pod_that_goes_while_it_shrinks_leaves_nothing_to_wait_for() -> None:
    room = waiting(1)
    assert room.after_size(THERE, shrinking(3, 2)) == ()
    assert room.after_size(THERE, None) == (), "that it is gone is said already"
    assert room.after_size(THERE, a_shadow()) == (), "another one of that name"


def test_a_few_are_tried_at_a_time_and_all_get_their_turn() -> None:
    room = waiting(AT_A_TIME + 2)
    first, second, third = (room.after_shadow(None, None) for _ in range(3))
    assert first == tuple(map(key, range(AT_A_TIME)))
    assert second == (*map(key, range(AT_A_TIME, AT_A_TIME + 2)), key(0), key(1))
    assert third[:2] == (key(2), key(3))


def test_who_got_in_is_a_sign_of_room_for_the_next() -> None:
    room = waiting(2)
    assert room.after_shadow(key(0), a_shadow()) == (key(1),)
    assert room.after_shadow(key(0), a_shadow()) == (), "once"
    assert room.after_shadow(key(1), a_shadow()) == ()


def test_who_waits_no_longer_is_not_tried() -> None:
    room = waiting(2)
    assert room.after_pod(key(0), a_pod(running())) == ()
    assert room.after_pod(key(1), None) == ()
    assert room.after_shadow(None, None) == ()


def offering(**hard: str) -> VirtualNode:
    return VirtualNode(spec=VirtualNodeSpec(resource_quota=ResourceQuota(hard=dict(hard))))


def test_an_offer_that_grows_is_room() -> None:
    room = waiting(1)
    assert room.after_offer(offering(cpu="4")) == (), "what was there before is no news"
    assert room.after_offer(offering(cpu="4000m")) == ()
    assert room.after_offer(offering(cpu="2")) == ()
    assert room.after_offer(offering(cpu="3")) == (key(0),)
    assert room.after_offer(offering(cpu="3", memory="1Gi")) == (key(0),)
    assert room.after_offer(offering(cpu="9" * 200, memory="1Gi")) == (), "nobody can read that"
    assert room.after_offer(offering(cpu="1", memory="1Gi")) == (key(0),)
