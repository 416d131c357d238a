"""Which pods no longer fit on a node that offers less, and who is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from liqo.api.kubernetes import Node, Pod
from liqo.api.meta import JSON, Key, Meta
from liqo.api.offloading import VirtualNode
from liqo.kube.paths import Scope, named
from liqo.kubelet.node.demand import Demand
from liqo.kubelet.node.shrink import (
    NAMED,
    TOLD,
    Offers,
    State,
    controller,
    plan,
    with_others,
)
from liqo.rules.fit import Bound
from liqo.rules.usage import amounts
from liqo.runtime.plan import NOTHING, Record
from tests.unit.kubelet.node.test_neighbours import OF_SLICE
from tests.unit.kubelet.node.test_neighbours import a_node as of_milan
from tests.unit.kubelet.node.things import caches
from tests.unit.kubelet.pods.things import SITE, asking, raw, running
from tests.unit.kubelet.pods.things import a_pod as any_pod

ITSELF = Key("", "milan")


def a_node(status: JSON | None = None, **allocatable: str) -> Node:
    said = status if status is not None else {"allocatable": {"pods": "110", **allocatable}}
    return Node(metadata=Meta(name="milan", uid="n-1", resource_version="1"), raw_status=raw(said))


def a_pod(name: str, minute: int, cpu: str, **more: Any) -> Pod:
    made = f"2026-11-15T10:{minute:02}:00Z"
    return any_pod(
        more.get("status", running()), asking(cpu), name=name, uid=name, creation_timestamp=made
    )


def a_state(node: Node, *pods: Pod) -> State:
    demand = Demand()
    for pod in pods:
        demand.follow(None, pod)
    return State(SITE, node, demand.total(), demand.each(), pods)


def told(state: State) -> list[Record]:
    actions = plan(state).actions
    assert all(isinstance(each, Record) for each in actions)
    return [each for each in actions if isinstance(each, Record)]


def test_only_the_first_offer_and_one_that_gets_smaller_is_looked_at() -> None:
    offers = Offers()
    assert offers.shrinking(a_node({})) == (), "it is new, and says nothing yet"
    assert offers.shrinking(a_node(cpu="4")) == (ITSELF,), "nobody may have told of it"
    assert offers.shrinking(a_node(cpu="4000m")) == ()
    assert offers.shrinking(a_node(cpu="8")) == ()
    assert offers.shrinking(a_node({})) == (), "it was made anew, and says nothing yet"
    assert offers.is_first
    assert offers.shrinking(a_node(cpu="6")) == (ITSELF,)
    assert offers.shrinking(a_node(cpu="6", memory="1Gi")) == ()
    assert offers.shrinking(a_node(cpu="6")) == (ITSELF,), "what is gone is less, too"
    assert not offers.is_first


def test_a_kubelet_that_has_just_started_tells_the_node_and_not_each_pod_again() -> None:
    state = a_state(a_node(cpu="4"), a_pod("young", 5, "3"), a_pod("old", 1, "2"))
    assert [each.about.key for each in told(replace(state, is_first=True))] == [ITSELF]
    assert plan(replace(a_state(a_node(cpu="4")), is_first=True)) == NOTHING


def test_what_a_kubelet_sees_first_is_known_as_such() -> None:
    here, there = caches(), caches()
    made, nodes = controller(here, there, SITE), here.of(Node, named(ITSELF))
    node = a_node(cpu="4")
    nodes.take(node)
    assert tuple(made.watches[nodes](node)) == (ITSELF,)
    state = made.observe(ITSELF)
    assert state is not None
    assert state.is_first


def test_the_youngest_do_not_fit_and_the_node_says_so() -> None:
    young, old = a_pod("young", 5, "3"), a_pod("old", 1, "2")
    of_node, of_pod = told(a_state(a_node(cpu="4"), young, old))
    assert (of_node.about.key, of_node.type, of_node.reason) == (ITSELF, "Warning", "NoLongerFits")
    assert (
        '"milan" offers less than the pods of this node ask for (cpu: 4 for 5)' in of_node.message
    )
    assert of_node.message.endswith(
        "see: liqoctl explain capacity milan. No longer fit: shop/young"
    )
    assert (of_pod.about, of_pod.type, of_pod.reason) == (young, "Warning", "NoLongerFits")
    assert "of cpu, this one asks for 3, and older ones leave 2" in of_pod.message


def test_where_all_fit_nothing_is_said() -> None:
    assert plan(a_state(a_node(cpu="4"), a_pod("a", 1, "4"))) == NOTHING
    ended = a_pod("b", 0, "4", status={"phase": "Succeeded"})
    assert plan(a_state(a_node(cpu="4"), a_pod("a", 1, "4"), ended)) == NOTHING


def test_a_sentence_names_a_few_and_each_pod_is_told() -> None:
    pods = tuple(a_pod(f"web-{number}", number, "1") for number in range(NAMED + 3))
    of_node, *of_pods = told(a_state(a_node(cpu="1"), *pods))
    assert of_node.message.endswith(f"shop/web-{NAMED} and 2 more")
    assert len(of_pods) == NAMED + 2
    assert len({each.about.key for each in of_pods}) == len(of_pods)


def test_of_very_many_only_the_first_are_told_one_by_one() -> None:
    pods = [a_pod(f"web-{number:03}", 1, "1") for number in range(TOLD + 2)]
    of_node, *of_pods = told(a_state(a_node(cpu="1"), *pods))
    assert of_node.message.endswith(
        f"shop/web-{NAMED:03} and {TOLD + 1 - NAMED} more; "
        f"only the first {TOLD} have an Event of their own"
    )
    assert [each.about.key for each in of_pods] == [pod.key for pod in pods[1 : TOLD + 1]]


def test_pods_are_looked_at_only_when_their_sum_is_too_much() -> None:
    large = Bound(Key("shop", "a"), "", amounts({"cpu": 9}))
    assert plan(State(SITE, a_node(cpu="4"), amounts({"cpu": 4}), (large,), ())) == NOTHING


def test_a_sum_of_before_tells_nobody() -> None:
    assert plan(State(SITE, a_node(cpu="4"), amounts({"cpu": 5}), (), ())) == NOTHING


def test_more_pods_than_the_node_may_have_is_told_too() -> None:
    pods = (a_pod("a", 1, "1"), a_pod("b", 2, "1"))
    of_node, _ = told(a_state(a_node({"allocatable": {"cpu": "9", "pods": "1"}}), *pods))
    assert "(pods: 1 for 2)" in of_node.message


def of_another_node(name: str, minute: int, cpu: str) -> tuple[Pod, Bound]:
    key = Key("shop", name)
    made = f"2026-11-15T10:{minute:02}:00Z"
    return Pod(metadata=Meta(name=name, namespace="shop", uid=name)), Bound(
        key, made, amounts({"cpu": cpu})
    )


def test_a_slice_that_shrinks_is_judged_with_the_pods_of_all_its_nodes() -> None:
    own = a_state(a_node(cpu="6"), a_pod("own", 1, "5"))
    assert plan(own) == NOTHING
    theirs, sizes = of_another_node("theirs", 2, "5")
    of_node, of_pod = told(with_others(own, ("milan-2",), [(theirs, sizes)]))
    assert of_node.about.key == ITSELF
    whose = "the pods of this node and of milan-2 ask for (cpu: 6 for 10)"
    assert f'"milan" offers less than {whose}' in of_node.message
    assert of_node.message.endswith("No longer fit: shop/theirs")
    assert (of_pod.about, of_pod.reason) == (theirs, "NoLongerFits")
    assert 'the pods of node "milan" and "milan-2" ask for: of cpu' in of_pod.message


def test_of_pods_of_two_nodes_the_younger_one_does_not_fit_whosever_it_is() -> None:
    own = a_state(a_node(cpu="6"), a_pod("own", 3, "5"))
    theirs = of_another_node("theirs", 2, "5")
    assert [each.about.key.name for each in told(with_others(own, ("x",), [theirs]))[1:]] == ["own"]


def test_it_looks_at_its_node_and_at_its_pods_when_that_shrinks() -> None:
    here, there, pod = caches(), caches(), a_pod("web", 1, "1")
    made = controller(here, there, SITE)
    nodes = here.of(Node, named(ITSELF))
    assert list(made.watches) == [nodes]
    assert made.observe(ITSELF) is None
    nodes.take(a_node(cpu="4"))
    here.of(Pod, Scope(fields="spec.nodeName=milan")).take(pod)
    assert made.observe(ITSELF) == a_state(a_node(cpu="4"), pod)


def test_it_looks_at_what_is_out_for_the_other_nodes_of_its_slice() -> None:
    here, there = caches(), caches()
    made = controller(here, there, SITE)
    here.of(Node, named(ITSELF)).take(a_node(cpu="4"))
    shared = Scope("liqo-tenant-milan")
    for node in (of_milan("milan", OF_SLICE), of_milan("too")):
        here.of(VirtualNode, shared).take(node)
    state = made.observe(ITSELF)
    assert state is not None
    assert state.beside == ("too",)
