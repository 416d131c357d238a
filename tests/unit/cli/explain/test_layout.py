"""What people read of a report."""

from __future__ import annotations

from liqo.api.meta import JSON
from liqo.cli.explain.facts import Facts
from liqo.cli.explain.layout import Table, amounts, heading, misfits, text, warnings
from liqo.cli.explain.report import report
from tests.unit.cli.explain.things import SHARED, a_node, a_pod, a_slice

SHARE = report(Facts(a_node(SHARED), a_slice(SHARED), pods=(a_pod("web", "10"),)))
PLAIN: JSON = report(Facts(a_node({"cpu": "4"}, made_of="")))


def test_every_amount_has_its_sum() -> None:
    assert text(SHARE) == (
        'Virtual node "milan" of cluster "milan", made of the ResourceSlice "milan" of class '
        '"share"\n'
        "\n"
        "cpu 45 = floor(0.9 × (100 − 50))\n"
        "nvidia.com/gpu 0 = floor(0.9 × 1): use at-least-one\n"
    )


def test_it_is_said_what_the_node_is_made_of() -> None:
    assert heading(PLAIN) == 'Virtual node "milan" of cluster "milan", made of a Secret'
    gone = report(Facts(a_node({"cpu": "4"}), beside=("b", "c")))
    assert heading(gone).endswith('made of the ResourceSlice "milan", which it shares with b, c')


def test_the_table_says_what_is_left_and_where() -> None:
    assert amounts(SHARE) == Table(
        ["RESOURCE", "OFFERED", "IN USE", "LEFT", "LARGEST POD", "FREE ON 4 NODES"],
        [
            ["cpu", "45", "10", "35", "25", "25 10 10 5"],
            ["nvidia.com/gpu", "0", "0", "0", "0", "1"],
        ],
    )
    assert amounts(PLAIN) == Table(
        ["RESOURCE", "OFFERED", "IN USE", "LEFT"], [["cpu", "4", "0", "4"]]
    )


def test_of_one_node_it_speaks_as_of_one_and_of_what_it_has_none_of_as_of_none() -> None:
    table = amounts({**SHARE, "nodes": 1, "resources": {"x": {**PLAIN["resources"]["cpu"]}}})
    assert table.columns[-1] == "FREE ON 1 NODE"
    assert table.rows == [["x", "4", "0", "4", "0", "0"]]
    places = {**PLAIN["resources"]["cpu"], "freeByNode": ["9", "8"]}
    [row] = amounts({**SHARE, "resources": {"pods": places}}).rows
    assert row == ["pods", "4", "0", "4", "-", "9 8"]


def test_pods_that_no_longer_fit_are_listed_and_warned_of() -> None:
    pods = (a_pod("old", "40"), a_pod("new", "10", minute=1), a_pod("newer", "9", minute=2))
    told = report(Facts(a_node(SHARED), a_slice(SHARED), pods=pods))
    assert misfits(told).rows == [
        ["shop", "new", "cpu", "10", "5"],
        ["shop", "newer", "cpu", "9", "5"],
    ]
    assert list(warnings(told))[-1] == (
        "2 pods no longer fit on milan: nothing is ended, and the oldest keep their place"
    )
    shared = {**told, "sharedWith": ["b"]}
    assert list(warnings(shared))[-1].startswith("2 pods no longer fit on milan and b: ")
    one = {**told, "doesNotFit": told["doesNotFit"][:1]}
    assert list(warnings(one))[-1].startswith("1 pod no longer fits on milan: ")


def test_what_is_rounded_to_none_is_warned_of_with_the_next_step() -> None:
    [warning] = warnings(SHARE)
    assert warning == (
        "nvidia.com/gpu is rounded to none; the administrator of milan lends one there with: "
        "kubectl patch configmap liqo-sharing -n liqo --type=merge "
        """-p '{"data":{"rounding":"at-least-one"}}'"""
    )
    assert list(warnings(PLAIN)) == []
