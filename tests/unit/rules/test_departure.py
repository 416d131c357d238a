"""Whether a virtual node leaves, and what it takes along."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pytest

from liqo.api.offloading import VirtualNode
from liqo.rules.departure import Fate, fate_of_map, is_leaving
from tests.unit.consumer.kubelet.things import GONE, a_virtual_node


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (a_virtual_node(), False),
        (a_virtual_node(create_node=None), False),
        (a_virtual_node(create_node=False), True),
        (a_virtual_node(deletion_timestamp=GONE), True),
    ],
    ids=["stays", "says nothing", "wants no Node", "is deleted"],
)
def test_a_virtual_node_leaves(node: VirtualNode, expected: bool) -> None:
    assert is_leaving(node) is expected


FIRST, SECOND, THIRD = (f"2026-11-16T11:59:0{second}Z" for second in range(3))


def deleted(when: str | None, name: str = "milan", **more: Any) -> VirtualNode:
    return a_virtual_node(name=name, deletion_timestamp=when, **more)


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ([], "goes"),
        ([deleted(None, "a")], "stays"),
        ([deleted(None, "a", finalizers=())], "stays"),
        ([deleted(FIRST, "z")], "waits"),
        ([deleted(THIRD, "a")], "stays"),
        ([deleted(FIRST, "a"), deleted(THIRD, "b")], "stays"),
        ([deleted(FIRST, "a"), deleted(None, "b")], "stays"),
        ([deleted(SECOND, "a")], "waits"),
        ([deleted(SECOND, "z")], "stays"),
        ([deleted(FIRST, "a", finalizers=()), deleted(THIRD, "b", finalizers=())], "goes"),
        ([deleted(THIRD, "b", finalizers=("example.org/theirs",))], "goes"),
    ],
    ids=[
        "alone",
        "another is there",
        "another has just been made",
        "another left before",
        "another left after",
        "others left before and after",
        "another left before, and one is there",
        "another left in the same second, and comes before",
        "another left in the same second, and comes after",
        "others that have finished",
        "another that somebody else holds",
    ],
)
def test_the_map_goes_with_who_was_deleted_last(others: list[VirtualNode], expected: Fate) -> None:
    assert fate_of_map(deleted(SECOND), others) == expected


@pytest.mark.parametrize("times", list(product((FIRST, SECOND), repeat=3)))
def test_whoever_of_those_that_leave_is_left_one_takes_the_map(times: tuple[str, ...]) -> None:
    """All but one may go, also if they look at each other in the same moment; that one waits."""
    leaving = [deleted(when, name) for when, name in zip(times, "cab", strict=True)]
    for count in (1, 2, 3):
        for left in combinations(leaving, count):
            fates = [fate_of_map(node, [each for each in left if each != node]) for node in left]
            assert sorted(fates) == (
                ["goes"] if count == 1 else ["stays"] * (count - 1) + ["waits"]
            )
