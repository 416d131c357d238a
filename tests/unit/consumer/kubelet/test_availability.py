"""Pods on a virtual node that does not answer."""

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Node
from liqo.api.sizes import BoundPod
from liqo.consumer.kubelet.availability import WENT_OUT, State, controller, observe, plan
from liqo.runtime.plan import NOTHING, Patch, do
from liqo.runtime.sights import VIRTUAL_NODES
from tests.unit.consumer import things as at_home
from tests.unit.consumer.kubelet.things import a_node, a_pod

SAYING = a_pod(labels={labels.SHADOW_POD: "true", labels.REMOTE_UNAVAILABLE: "true"})


@pytest.mark.parametrize("ready", ["False", "Unknown"])
def test_a_pod_says_that_its_node_is_not_ready(ready: str) -> None:
    change = {"metadata": {"labels": {"liqo.io/remote-unavailable": "true"}}}
    assert plan(State(a_pod(), a_node(ready))) == do(Patch(a_pod(), change))
    assert plan(State(SAYING, a_node(ready))) == NOTHING


def test_and_no_longer_once_it_is() -> None:
    change = {"metadata": {"labels": {"liqo.io/remote-unavailable": None}}}
    assert plan(State(SAYING, a_node())) == do(Patch(SAYING, change))
    assert plan(State(a_pod(), a_node())) == NOTHING


def test_a_node_concerns_those_pods_on_it_that_do_not_say_what_it_says() -> None:
    """It tells every few seconds that it lives, and there may be ten thousand of them."""
    here = at_home.caches()
    other = a_pod("silent")
    for pod in (SAYING, other):
        here.of(BoundPod, WENT_OUT).take(pod)
    concerned = controller(here).watches[here.of(Node, VIRTUAL_NODES)]
    ready, away = a_node(), a_node("False", version="2")
    here.of(Node, VIRTUAL_NODES).take(ready)
    assert list(concerned(ready)) == [SAYING.key]
    here.of(Node, VIRTUAL_NODES).take(away)
    assert list(concerned(away)) == [other.key]
    assert list(concerned(ready)) == []  # what it was


def test_a_pod_is_seen_with_its_node() -> None:
    here = at_home.caches()
    pod, node = a_pod(), a_node()
    here.of(BoundPod, WENT_OUT).take(pod)
    assert observe(here, pod.key) is None
    here.of(Node, VIRTUAL_NODES).take(node)
    assert observe(here, pod.key) == State(pod, node)
