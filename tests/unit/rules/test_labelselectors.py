"""Label selectors, as people write them."""

from __future__ import annotations

import pytest

from liqo.api.meta import JSON
from liqo.rules.labelselectors import term


def expression(key: str, operator: str, *values: str) -> JSON:
    return {"key": key, "operator": operator, **({"values": [*values]} if values else {})}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("region=south", [expression("region", "In", "south")]),
        ("region==south", [expression("region", "In", "south")]),
        ("region=", [expression("region", "In", "")]),
        ("region != south", [expression("region", "NotIn", "south")]),
        ("region in (north, south)", [expression("region", "In", "north", "south")]),
        ("region notin (north)", [expression("region", "NotIn", "north")]),
        ("region", [expression("region", "Exists")]),
        ("!region", [expression("region", "DoesNotExist")]),
        ("cores>3", [expression("cores", "Gt", "3")]),
        ("cores < 3", [expression("cores", "Lt", "3")]),
        (
            "topology.liqo.io/region in (a,b),!gpu, tier=gold",
            [
                expression("topology.liqo.io/region", "In", "a", "b"),
                expression("gpu", "DoesNotExist"),
                expression("tier", "In", "gold"),
            ],
        ),
    ],
)
def test_each_way_to_write_a_requirement(text: str, meant: list[JSON]) -> None:
    assert term(text) == {"matchExpressions": meant}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "a part of it is empty"),
        ("a=b,", "a part of it is empty"),
        ("region south", '"region south" cannot be understood'),
        ("region in north", '"region in north" cannot be understood'),
        ("=south", '"=south" cannot be understood'),
        ("-x=1", '"-x" cannot be the key of a label'),
        ("region=so/uth", '"so/uth" cannot be the value of a label'),
        ("cores>many", "the operator Gt needs one value, a whole number"),
    ],
)
def test_what_makes_no_sense_is_told(text: str, why: str) -> None:
    with pytest.raises(ValueError, match="is no label selector: ") as wrong:
        term(text)
    assert why in str(wrong.value)
