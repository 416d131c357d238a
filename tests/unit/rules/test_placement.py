"""What a policy adds to a pod: the table, and that it only ever narrows."""

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liqo.api.kubernetes import PodSpec
from liqo.api.meta import JSON
from liqo.api.offloading import NamespaceOffloadingSpec, PodStrategy
from liqo.rules.placement import (
    IS_PHYSICAL,
    IS_VIRTUAL,
    REQUIRED,
    TOLERATION,
    completed,
    imposed,
    narrowed,
    required_terms,
    strays,
    tolerates,
)
from liqo.rules.selectors import Candidate, is_in

X: JSON = {"key": "x", "operator": "Exists"}
Y: JSON = {"key": "y", "operator": "Exists"}
A: JSON = {"key": "a", "operator": "Exists"}
B: JSON = {"key": "b", "operator": "Exists"}
HERE: JSON = {"key": "metadata.name", "operator": "In", "values": ["rome-worker"]}


def policy(strategy: PodStrategy, *terms: JSON) -> NamespaceOffloadingSpec:
    selector = {"nodeSelectorTerms": [*terms]}
    return NamespaceOffloadingSpec(pod_offloading_strategy=strategy, cluster_selector=selector)


def all_of(*expressions: JSON) -> JSON:
    return {"matchExpressions": [*expressions]}


def asking_for(*terms: JSON, **fields: Any) -> PodSpec:
    affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [*terms]}}}
    return cast(PodSpec, {"affinity": affinity, **fields})


def terms_in(change: JSON) -> list[JSON]:
    terms: list[JSON] = change["affinity"]["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]
    return terms


@pytest.mark.parametrize(
    ("wanted", "terms"),
    [
        (policy("Remote"), [all_of(IS_VIRTUAL)]),
        (
            policy("Remote", all_of(X), all_of(Y)),
            [all_of(X, IS_VIRTUAL), all_of(Y, IS_VIRTUAL)],
        ),
        (policy("Remote", {}), [{}]),
        (policy("Remote", {}, all_of(X)), [all_of(X, IS_VIRTUAL)]),
        (policy("LocalAndRemote"), []),
        (policy("LocalAndRemote", all_of(X)), [all_of(X), all_of(IS_PHYSICAL)]),
        (policy("LocalAndRemote", {}), [all_of(IS_PHYSICAL)]),
    ],
)
def test_L14_each_strategy_imposes_its_terms(
    wanted: NamespaceOffloadingSpec, terms: list[JSON]
) -> None:
    assert imposed(wanted) == terms


def test_a_local_strategy_changes_nothing() -> None:
    assert completed({}, policy("Local", all_of(X)), "liqo") == {}


def test_a_pod_that_asks_for_nothing_gets_the_toleration_and_the_terms() -> None:
    change = completed({}, policy("Remote"), "liqo")
    assert change["tolerations"] == [TOLERATION]
    assert terms_in(change) == [all_of(IS_VIRTUAL)]
    assert completed({}, policy("LocalAndRemote"), "liqo") == {"tolerations": [TOLERATION]}


def test_E13_terms_of_the_pod_and_of_the_policy_are_paired() -> None:
    change = completed(
        asking_for(all_of(A), all_of(B)), policy("LocalAndRemote", all_of(X), all_of(Y)), "liqo"
    )
    assert terms_in(change) == [
        *(all_of(A, each) for each in (X, Y, IS_PHYSICAL)),
        *(all_of(B, each) for each in (X, Y, IS_PHYSICAL)),
    ]


def test_a_pod_of_a_daemon_set_keeps_its_node() -> None:
    own = {"matchFields": [HERE]}
    change = completed(asking_for(own), policy("LocalAndRemote", all_of(X)), "liqo")
    assert terms_in(change) == [
        {"matchExpressions": [X], "matchFields": [HERE]},
        {"matchExpressions": [IS_PHYSICAL], "matchFields": [HERE]},
    ]


def test_where_no_cluster_is_selected_no_wish_of_a_pod_helps() -> None:
    nowhere = imposed(policy("Remote", {}))
    assert narrowed([all_of(X)], nowhere) == nowhere


def test_other_tolerations_stay() -> None:
    other = {"key": "gpu", "operator": "Exists"}
    change = completed({"tolerations": [other]}, policy("LocalAndRemote"), "liqo")
    assert change == {"tolerations": [other, TOLERATION]}


def test_a_pod_of_the_runtime_class_is_left_to_it() -> None:
    pod: PodSpec = {"runtimeClassName": "liqo"}
    assert completed(pod, policy("LocalAndRemote"), "liqo") == {}
    assert completed(pod, policy("Remote"), "liqo") == {}
    assert completed(pod, policy("Remote"), "") != {}


def test_the_runtime_class_leads_to_no_cluster_that_is_not_selected() -> None:
    change = completed({"runtimeClassName": "liqo"}, policy("Remote", all_of(X)), "liqo")
    assert list(change) == ["affinity"]
    assert terms_in(change) == [all_of(X, IS_VIRTUAL)]


@pytest.mark.parametrize(
    ("toleration", "is_enough"),
    [
        (TOLERATION, True),
        ({"operator": "Exists"}, True),
        ({"key": TOLERATION["key"], "operator": "Exists"}, True),
        ({"key": TOLERATION["key"], "value": "true", "effect": "NoExecute"}, True),
        ({"key": TOLERATION["key"], "value": "false"}, False),
        ({"key": TOLERATION["key"], "operator": "Gt", "value": "true"}, False),
        ({"key": "gpu", "operator": "Exists"}, False),
        ({**TOLERATION, "effect": "NoSchedule"}, False),
        ({**TOLERATION, "tolerationSeconds": 30}, False),
    ],
)
def test_a_toleration_counts_if_a_virtual_node_would_take_the_pod(
    toleration: JSON, is_enough: bool
) -> None:
    assert tolerates({"tolerations": [toleration]}) is is_enough


NORTH, SOUTHERN = (Candidate(name, {"region": name, "x": "1"}) for name in ("north", "south"))
IN_SOUTH = all_of({"key": "region", "operator": "In", "values": ["south"]})


@pytest.mark.parametrize(
    ("pod", "wanted", "could"),
    [
        ({}, policy("LocalAndRemote", IN_SOUTH), True),
        ({"nodeSelector": {"region": "south"}}, policy("LocalAndRemote", IN_SOUTH), False),
        ({"nodeSelector": {"region": "north"}}, policy("LocalAndRemote", IN_SOUTH), True),
        (asking_for(IN_SOUTH), policy("LocalAndRemote", IN_SOUTH), False),
        (asking_for(all_of(X)), policy("LocalAndRemote", IN_SOUTH), True),
        ({}, policy("LocalAndRemote"), False),
    ],
)
def test_a_pod_strays_if_it_accepts_a_node_that_its_policy_does_not(
    pod: PodSpec, wanted: NamespaceOffloadingSpec, could: bool
) -> None:
    nodes = [
        Candidate(each.name, {**each.labels, "liqo.io/type": "virtual-node"})
        for each in (NORTH, SOUTHERN)
    ]
    assert strays(pod, wanted, nodes) is could


LABELS = ("a", "x", "liqo.io/type")
VALUES = ("virtual-node", "1")
expressions = st.one_of(
    st.builds(
        lambda key, operator, values: {"key": key, "operator": operator, "values": values},
        st.sampled_from(LABELS),
        st.sampled_from(["In", "NotIn"]),
        st.lists(st.sampled_from(VALUES), min_size=1, max_size=2, unique=True),
    ),
    st.builds(
        lambda key, operator: {"key": key, "operator": operator},
        st.sampled_from(LABELS),
        st.sampled_from(["Exists", "DoesNotExist"]),
    ),
)
some_terms = st.lists(
    st.builds(
        lambda found, here: {
            **({"matchExpressions": found} if found else {}),
            **({"matchFields": [HERE]} if here else {}),
        },
        st.lists(expressions, max_size=3),
        st.booleans(),
    ),
    max_size=3,
)
candidates = st.builds(
    Candidate,
    st.sampled_from(["rome-worker", "liqo-milan"]),
    st.dictionaries(st.sampled_from(LABELS), st.sampled_from(VALUES)),
)
policies = st.builds(
    lambda strategy, terms: policy(strategy, *terms),
    st.sampled_from(["Remote", "LocalAndRemote"]),
    some_terms,
)


@given(some_terms, policies, candidates)
def test_a_pod_may_go_where_both_it_and_the_policy_allow(
    own: list[JSON], wanted: NamespaceOffloadingSpec, node: Candidate
) -> None:
    terms = imposed(wanted)
    after = narrowed(own, terms)
    by_itself, by_policy = (not each or is_in(each, node) for each in (own, terms))
    assert (not after or is_in(after, node)) is (by_itself and by_policy)


@given(some_terms, policies)
def test_whoever_completes_a_pod_twice_changes_it_once(
    own: list[JSON], wanted: NamespaceOffloadingSpec
) -> None:
    first = completed(asking_for(*own), wanted, "liqo")
    once = cast(PodSpec, {**asking_for(*own), **first})
    assert completed(once, wanted, "liqo") == {}
    assert [*required_terms(once)] == narrowed(own, imposed(wanted))
