"""The fields that programs read."""

from __future__ import annotations

from dataclasses import replace

from liqo.cli.explain.facts import Facts
from liqo.cli.explain.report import report
from tests.unit.cli.explain.things import SHARED, a_node, a_pod, a_slice, by_hand

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
                "largestOnOneNode": "0",
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


def two(own: str, other: str, granted: str = "10", offered: str = "10") -> Facts:
    """A second node of a slice, as its owner made it, with a pod on each."""
    return Facts(
        by_hand({"cpu": offered}),
        a_slice({"cpu": granted}, "accepted"),
        ("milan",),
        (a_pod("own", own, minute=1, node="milan-2"),),
        (a_pod("other", other),),
    )


def test_two_nodes_of_a_slice_have_left_what_both_leave() -> None:
    told = report(two("3", "5"))
    assert (told["resourceSlice"], told["sharedWith"]) == ("milan", ["milan"])
    cpu = told["resources"]["cpu"]
    assert (cpu["granted"], cpu["inUse"], cpu["left"]) == ("10", "8", "2")
    assert told["doesNotFit"] == []


def test_a_node_that_shows_less_than_its_slice_has_left_no_more_than_it_shows() -> None:
    cpu = report(two("3", "5", offered="4"))["resources"]["cpu"]
    assert (cpu["granted"], cpu["inUse"], cpu["left"]) == ("4", "8", "1")
    small = report(two("3", "5", offered="2"))
    assert [each["name"] for each in small["doesNotFit"]] == ["own"]


def test_a_slice_that_shrank_has_no_room_for_the_youngest_of_all_its_nodes() -> None:
    told = report(two("5", "5", granted="6"))
    assert told["resources"]["cpu"]["sum"].endswith("; the ResourceSlice milan has 6")
    assert told["resources"]["cpu"]["left"] == "0"
    [out] = told["doesNotFit"]
    assert (out["name"], out["asked"], out["left"]) == ("own", "5", "1")


def test_pods_that_a_slice_does_not_count_are_bounded_by_the_node_alone() -> None:
    facts = replace(two("3", "5"), node=by_hand({"cpu": "10", "pods": "3", "memory": "1Gi"}))
    told = report(facts)["resources"]
    assert (told["pods"]["inUse"], told["pods"]["left"]) == ("2", "2")
    assert told["memory"]["left"] == "0", "of what it does not name it has none"
    assert report(facts)["doesNotFit"] == []


def test_places_for_pods_have_nodes_and_no_largest_pod() -> None:
    message = (
        "cpu 10 = floor(0.9 × 12)\npods 9 = floor(0.9 × 10)\n"
        "largest pod on one of 1 nodes: cpu 10\nfree by node: cpu 12, pods 10"
    )
    told = report(Facts(a_node({"pods": "9"}), a_slice({"pods": "9"}, message)))
    assert told["resources"]["pods"]["freeByNode"] == ["10"]
    assert "largestOnOneNode" not in told["resources"]["pods"]
