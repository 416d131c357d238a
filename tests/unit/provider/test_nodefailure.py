"""Pods on a node that does not answer."""

from liqo.api.kubernetes import Node, Pod
from liqo.api.meta import Key, Meta
from liqo.provider.nodefailure import State, controller, observe, plan
from liqo.provider.shadowpod import OURS
from liqo.provider.watched import PHYSICAL_NODES
from liqo.runtime.plan import NOTHING, Delete, do
from tests.unit.provider.things import holding, raw

GOING = Pod(
    metadata=Meta(
        name="web",
        namespace="shop",
        uid="pod-1",
        resource_version="1",
        deletion_timestamp="2026-11-16T00:00:00Z",
        labels={"liqo.io/managed-by": "shadowpod"},
    ),
    raw_spec=raw({"nodeName": "one"}),
)


def a_node(ready: str) -> Node:
    return Node(
        metadata=Meta(name="one", resource_version="1"),
        raw_status=raw({"conditions": [{"type": "Ready", "status": ready}]}),
    )


def test_a_lost_node_lets_go_of_what_it_was_ending() -> None:
    assert plan(State(GOING, a_node("Unknown"))) == do(Delete(GOING, grace=0))
    assert plan(State(GOING, a_node("False"))) == do(Delete(GOING, grace=0))


def test_a_node_that_answers_ends_its_pods_itself() -> None:
    assert plan(State(GOING, a_node("True"))) == NOTHING
    assert plan(State(GOING, None)) == NOTHING


def test_a_node_concerns_the_pods_on_it() -> None:
    node = a_node("Unknown")
    here = holding()
    here.of(Pod, OURS).take(GOING)
    nodes = here.of(Node, PHYSICAL_NODES)
    nodes.take(node)
    assert observe(here, GOING.key) == State(GOING, node)
    assert list(controller(here).watches[nodes](node)) == [GOING.key]
    assert observe(here, Key("shop", "other")) is None
