"""The fields that programs read."""

from __future__ import annotations

from liqo.cli.explain.facts import Facts
from liqo.cli.explain.report import report
from tests.unit.cli.explain.things import SHARED, a_node, a_pod, a_slice

PODS = (a_pod("old", "40"), a_pod("new", "10", minute=1), a_pod("done", "9", phase="Failed"))


def test_of_a_share_every_input_is_told() -> None:
    facts = Facts(a_node({**SHARED, "pods": "9"}), a_slice({**SHARED, "pods": "9"}), pods=PODS)
    assert report(facts) == {
        "node": "milan",
        "cluster": "milan",
        "resourceSlice": "milan",
        "class": "share",
        "sharedWith": [],
        "nodes": 4,
        "resources": {
            "cpu": {
                "granted": "45",
                "sum": "floor(0.9 × (100 − 50))",
                "percentage": 90,
                "rounding": "floor",
                "allocatable": "100",
                "requested": "50",
                "inUse": "50",
                "left": "0",
                "largestOnOneNode": "25",
                "freeByNode": ["25", "10", "10", "5"],
            },
            "nvidia.com/gpu": {
                "granted": "0",
                "sum": "floor(0.9 × 1)",
                "hint": "use at-least-one",
                "percentage": 90,
                "rounding": "floor",
                "allocatable": "1",
                "requested": "0",
                "inUse": "0",
                "left": "0",
                "largestOnOneNode": "1",
                "freeByNode": ["1"],
            },
            "pods": {
                "granted": "9",
                "sum": 'granted by the class "share" of milan, which does not say why',
                "inUse": "2",
                "left": "7",
            },
        },
        "doesNotFit": [
            {"namespace": "shop", "name": "new", "resource": "cpu", "asked": "10", "left": "5"}
        ],
    }


def test_what_was_wanted_at_most_is_told_where_it_counts() -> None:
    message = "cpu 10 = min(10, floor(0.9 × 100))\nlargest pod on one of 1 nodes: cpu 25"
    facts = Facts(a_node({"cpu": "10"}), a_slice({"cpu": "10"}, message))
    told = report(facts)["resources"]["cpu"]
    assert (told["asked"], told["allocatable"], told["freeByNode"]) == ("10", "100", ["25"])


def test_a_node_of_no_slice_says_nothing_of_one() -> None:
    told = report(Facts(a_node({"cpu": "4"}, made_of="")))
    assert told.keys() == {"node", "cluster", "resources", "doesNotFit"}
    assert told["resources"]["cpu"] == {
        "granted": "4",
        "sum": "spec.resourceQuota of the VirtualNode",
        "inUse": "0",
        "left": "4",
    }


def test_a_slice_is_named_also_when_it_is_gone_and_its_class_by_its_usual_name() -> None:
    gone = report(Facts(a_node({"cpu": "4"}), beside=("milan-2",)))
    assert (gone["resourceSlice"], gone["sharedWith"]) == ("milan", ["milan-2"])
    assert "class" not in gone
    usual = Facts(a_node({"cpu": "4"}), a_slice({"cpu": "4"}, "accepted", class_=""))
    assert report(usual)["class"] == "default"
