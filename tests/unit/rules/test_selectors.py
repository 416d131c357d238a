"""Node selectors, as Kubernetes reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liqo.api.meta import JSON
from liqo.rules.selectors import Candidate, chooses, problem

NAPLES = Candidate("liqo-naples", {"region": "south", "cpus": "16", "zone": ""})


def by_label(key: str, operator: str, *values: str) -> JSON:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": [*values]}]}


def by_field(key: str, operator: str, *values: str) -> JSON:
    return {"matchFields": [{"key": key, "operator": operator, "values": [*values]}]}


def selector(*terms: JSON) -> JSON:
    return {"nodeSelectorTerms": [*terms]}


@pytest.mark.parametrize("everything", [{}, {"nodeSelectorTerms": []}, {"nodeSelectorTerms": None}])
def test_a_selector_without_terms_chooses_every_node(everything: JSON) -> None:
    assert chooses(everything, NAPLES)
    assert problem(everything) == ""


def test_an_empty_term_chooses_nothing() -> None:
    assert not chooses(selector({}), NAPLES)
    assert not chooses(selector({"matchExpressions": [], "matchFields": None}), NAPLES)
    assert problem(selector({})) == ""


@pytest.mark.parametrize(
    ("term", "is_chosen"),
    [
        (by_label("region", "In", "north", "south"), True),
        (by_label("region", "In", "north"), False),
        (by_label("planet", "In", ""), False),
        (by_label("zone", "In", ""), True),
        (by_label("region", "NotIn", "north"), True),
        (by_label("region", "NotIn", "south"), False),
        (by_label("planet", "NotIn", "mars"), True),
        (by_label("region", "Exists"), True),
        (by_label("planet", "Exists"), False),
        (by_label("region", "DoesNotExist"), False),
        (by_label("planet", "DoesNotExist"), True),
        (by_label("cpus", "Gt", "15"), True),
        (by_label("cpus", "Gt", "16"), False),
        (by_label("cpus", "Lt", "17"), True),
        (by_label("cpus", "Lt", "16"), False),
        (by_label("planet", "Gt", "1"), False),
        (by_label("planet", "Lt", "1"), False),
        (by_label("region", "Gt", "1"), False),
        (by_label("cpus", "Lt", "many"), False),
        (by_label("cpus", "Gt", "1", "2"), False),
        (by_label("cpus", "Lt", str(2**63)), False),
        (by_label("region", "Resembles", "south"), False),
        (by_field("metadata.name", "In", "liqo-naples"), True),
        (by_field("metadata.name", "NotIn", "liqo-naples"), False),
        (by_field("metadata.uid", "In", "liqo-naples"), False),
        ({**by_label("region", "Exists"), **by_field("metadata.name", "In", "other")}, False),
    ],
)
def test_a_term_chooses_as_the_scheduler_does(term: JSON, is_chosen: bool) -> None:
    assert chooses(selector(term), NAPLES) is is_chosen


def test_terms_are_alternatives_and_their_expressions_are_not() -> None:
    south, north = by_label("region", "In", "south"), by_label("region", "In", "north")
    assert chooses(selector(north, south), NAPLES)
    both = {"matchExpressions": [*south["matchExpressions"], *north["matchExpressions"]]}
    assert not chooses(selector(both), NAPLES)


@pytest.mark.parametrize(
    ("term", "words"),
    [
        (by_label("region", "Resembles", "x"), 'no operator "Resembles"; there are In, NotIn'),
        (by_label("region", "In"), "In needs values"),
        (by_label("region", "NotIn"), "NotIn needs values"),
        (by_label("region", "Exists", "x"), "Exists takes no values"),
        (by_label("region", "DoesNotExist", "x"), "DoesNotExist takes no values"),
        (by_label("cpus", "Gt"), "Gt needs one value"),
        (by_label("cpus", "Gt", "-1"), '"-1" cannot be the value of a label'),
        (by_label("cpus", "Lt", "many"), "Lt needs one value"),
        (by_label("cpus", "Lt", "1", "2"), "Lt needs one value"),
        (by_label("", "Exists"), '"" cannot be the key of a label'),
        (by_label("a b", "Exists"), '"a b" cannot be the key'),
        (by_label("/region", "Exists"), '"/region" cannot be the key'),
        (by_label("x" * 64, "Exists"), "cannot be the key"),
        (by_label("region", "In", "so uth"), '"so uth" cannot be the value'),
        (by_label("region", "In", "x" * 64), "cannot be the value"),
        (by_field("metadata.uid", "In", "x"), 'no field "metadata.uid"'),
        (by_field("metadata.name", "Exists"), 'is In or NotIn, not "Exists"'),
        (by_field("metadata.name", "In", "x", "y"), "exactly one value"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(term: JSON, words: str) -> None:
    wrong = problem(selector(by_label("topology.liqo.io/region", "Exists"), term))
    assert words in wrong
    assert wrong.startswith("nodeSelectorTerms[1].match")


keys = st.sampled_from(["region", "cpus", "planet"])
values = st.lists(st.sampled_from(["south", "16", "", "so uth"]), max_size=2)
operators = st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"])


@given(keys, operators, values)
def test_opposites_never_agree(key: str, operator: str, some: list[str]) -> None:
    opposite = {"In": "NotIn", "Exists": "DoesNotExist"}.get(operator)
    if opposite is not None:
        one, other = (selector(by_label(key, each, *some)) for each in (operator, opposite))
        assert chooses(one, NAPLES) is not chooses(other, NAPLES)
