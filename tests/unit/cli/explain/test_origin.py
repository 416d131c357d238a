"""Where amounts come from: the table of cli/explain/origin.py, row by row."""

from __future__ import annotations

import pytest

from liqo.api.authentication import ResourceSlice, ResourceSliceStatus
from liqo.cli.explain.facts import Facts
from liqo.cli.explain.origin import explained, origin
from liqo.rules.explanation import Line
from tests.unit.cli.explain.things import a_node, a_slice

GRANTED = "ResourceSlice resources accepted"


def said(granted: ResourceSlice | None, made_of: str = "milan") -> str:
    facts = Facts(a_node({"cpu": "45"}, made_of), granted)
    line = origin(facts, "cpu", explained(facts))
    assert (line.name, line.granted) == ("cpu", "45")
    return line.sum


@pytest.mark.parametrize(
    ("granted", "made_of", "expected"),
    [
        (None, "", "spec.resourceQuota of the VirtualNode"),
        (None, "milan", "spec.resourceQuota of the VirtualNode; the ResourceSlice milan is gone"),
        (
            a_slice({"cpu": "4"}),
            "milan",
            "spec.resourceQuota of the VirtualNode; the ResourceSlice milan has 4",
        ),
        (
            a_slice({}),
            "milan",
            "spec.resourceQuota of the VirtualNode; the ResourceSlice milan does not name it",
        ),
        (
            a_slice({"cpu": "45"}, "no more", "Denied"),
            "milan",
            "granted earlier; milan says now: no more",
        ),
        (
            ResourceSlice(status=ResourceSliceStatus(resources={"cpu": "45"})),
            "milan",
            "granted earlier; milan says now: nothing",
        ),
        (a_slice({"cpu": "45"}), "milan", "floor(0.9 × (100 − 50))"),
        (a_slice({"cpu": "45"}, GRANTED, class_="default"), "milan", "the provider's default"),
        (
            a_slice({"cpu": "45"}, GRANTED, class_="", resources={"cpu": "45000m"}),
            "milan",
            "asked for",
        ),
        (
            a_slice({"cpu": "45"}, GRANTED, class_="", resources={"cpu": "50"}),
            "milan",
            "granted by milan, asked for 50",
        ),
        (
            a_slice({"cpu": "45"}, GRANTED, class_="gold"),
            "milan",
            'granted by the class "gold" of milan, which does not say why',
        ),
        (
            a_slice({"cpu": "45"}, "memory 1Gi = floor(0.9 × 2Gi)"),
            "milan",
            'granted by the class "share" of milan, which does not say why',
        ),
    ],
)
def test_an_amount_says_where_it_comes_from(
    granted: ResourceSlice | None, made_of: str, expected: str
) -> None:
    assert said(granted, made_of) == expected


def test_a_hint_of_the_provider_is_kept() -> None:
    facts = Facts(a_node({"nvidia.com/gpu": 0}), a_slice({"nvidia.com/gpu": "0"}))
    line = Line("nvidia.com/gpu", "0", "floor(0.9 × 1)", "use at-least-one")
    assert origin(facts, "nvidia.com/gpu", explained(facts)) == line


def test_of_half_a_device_more_a_node_has_the_whole_ones() -> None:
    facts = Facts(
        a_node({"nvidia.com/gpu": 1}), a_slice({"nvidia.com/gpu": "1500m"}, class_="gold")
    )
    words = 'granted by the class "gold" of milan, which does not say why'
    assert origin(facts, "nvidia.com/gpu", None) == Line("nvidia.com/gpu", "1", words)


@pytest.mark.parametrize(
    ("granted", "has", "asked", "words"),
    [
        ("1500m", 1, "1", "asked for"),
        ("1500m", 1, "1500m", "granted by milan, asked for 1500m"),
        ("many", 0, "0", "asked for"),
        ("many", 0, "2", "granted by milan, asked for 2"),
        ("-1", 0, "0", "asked for"),
        ("1", 1, "some", "granted by milan, asked for 0"),
    ],
)
def test_what_was_asked_for_is_compared_with_what_a_node_may_have(
    granted: str, has: int, asked: str, words: str
) -> None:
    """Whatever the provider wrote: half a device is none, and what nobody can read is nothing."""
    asking = a_slice(
        {"nvidia.com/gpu": granted}, GRANTED, class_="", resources={"nvidia.com/gpu": asked}
    )
    facts = Facts(a_node({"nvidia.com/gpu": has}), asking)
    assert origin(facts, "nvidia.com/gpu", None) == Line("nvidia.com/gpu", str(has), words)
