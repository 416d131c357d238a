"""Rights where pods go out, and nowhere else."""

import msgspec
import pytest

from liqo.api import labels
from liqo.api.kubernetes import RoleBinding
from liqo.api.meta import JSON, Key, Meta
from liqo.api.offloading import NamespaceMap, NamespaceMapSpec, NamespaceMapStatus, VirtualNode
from liqo.consumer.kubelet.namespaces import (
    BINDINGS,
    State,
    binding,
    controller,
    observe,
    plan,
)
from liqo.runtime.plan import NOTHING, Create, Delete, Part, do
from tests.unit.consumer import things as at_home
from tests.unit.consumer.kubelet.things import GONE, a_map, a_virtual_node

KEY = Key("", "milan")


def a_binding(namespace: str) -> RoleBinding:
    marks = {labels.VIRTUAL_NODE: "milan", labels.MAPPED: "true"}
    return RoleBinding(
        metadata=Meta(
            name="liqo-node-milan",
            namespace=namespace,
            uid=f"b-{namespace}",
            resource_version="1",
            labels=marks,
        )
    )


def test_a_mapped_namespace_is_opened_and_one_that_is_no_longer_is_closed() -> None:
    node = a_virtual_node()
    state = State(node, frozenset({"shop", "bank"}), (a_binding("shop"), a_binding("old")))
    opened = Part("bank", (Create(binding(node, "bank"), or_apply=True),))
    assert plan(state) == do(parts=(opened, Part("old", (Delete(a_binding("old")),))))


def test_a_namespace_that_is_missing_keeps_the_kubelet_out_of_no_other() -> None:
    node = a_virtual_node()
    parts = plan(State(node, frozenset({"gone", "shop"}), ())).parts
    opened = {name: Create(binding(node, name), or_apply=True) for name in ("gone", "shop")}
    assert parts == tuple(Part(name, (made,)) for name, made in opened.items())


def test_a_virtual_node_that_goes_keeps_its_rights_until_it_is_gone() -> None:
    going = a_virtual_node(deletion_timestamp=GONE)
    assert plan(State(going, frozenset({"shop", "bank"}), (a_binding("shop"),))) == NOTHING
    closed = Part("shop", (Delete(a_binding("shop")),))
    assert plan(State(None, frozenset(), (a_binding("shop"),))) == do(parts=[closed])


def test_the_right_is_given_to_this_kubelet_alone() -> None:
    made = binding(a_virtual_node(), "shop").body
    assert made["roleRef"]["name"] == "liqo-virtual-kubelet-namespace"
    assert [subject["name"] for subject in made["subjects"]] == ["milan"]


def test_what_a_map_says_counts_only_if_the_map_is_ours() -> None:
    here = at_home.caches()
    node = a_virtual_node()
    at_home.put(here, node)
    assert observe(here, KEY) == State(node, frozenset(), ())
    at_home.put(here, a_map("shop"))
    here.of(RoleBinding, BINDINGS).take(a_binding("shop"))
    assert observe(here, KEY) == State(node, frozenset({"shop"}), (a_binding("shop"),))
    copy = {labels.REPLICATED: "true", labels.ORIGIN_ID: "milan"}
    at_home.put(here, a_map("bank", labels=copy, resource_version="2"))
    assert observe(here, KEY) == State(node, frozenset(), (a_binding("shop"),))
    watches = controller(here).watches
    assert list(watches[here.of(VirtualNode)](node)) == [KEY]
    assert list(watches[here.of(NamespaceMap)](a_map())) == [KEY]
    assert list(watches[here.of(RoleBinding, BINDINGS)](a_binding("shop"))) == [KEY]


@pytest.mark.parametrize(
    ("lacks", "opened"),
    [
        ({"status": NamespaceMapStatus()}, frozenset({"shop"})),  # the answer: it is on its way
        ({"spec": NamespaceMapSpec()}, frozenset()),  # the question: a provider may say anything
    ],
)
def test_the_rights_follow_what_was_asked_and_not_what_is_answered(
    lacks: JSON, opened: frozenset[str]
) -> None:
    here = at_home.caches()
    at_home.put(here, a_virtual_node())
    at_home.put(here, msgspec.structs.replace(a_map("shop"), **lacks))
    state = observe(here, KEY)
    assert state is not None
    assert state.namespaces == opened
