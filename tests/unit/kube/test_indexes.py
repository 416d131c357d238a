"""What each index finds an object under."""

from __future__ import annotations

import msgspec

from liqo.api.kubernetes import Node, Pod
from liqo.api.meta import Meta, OwnerReference
from liqo.kube import indexes
from liqo.kube.indexes import Label


def test_owner_is_the_uid_of_each() -> None:
    owners = tuple(
        OwnerReference(api_version="v1", kind="Node", name=uid, uid=uid) for uid in ("a", "b")
    )
    assert indexes.owner(Pod(metadata=Meta(owner_references=owners))) == ["a", "b"]


def test_a_label_that_is_not_there_finds_nothing() -> None:
    pod = Pod(metadata=Meta(labels={"app": ""}))
    assert Label("app")(pod) == ("",)
    assert Label("tier")(pod) == ()


def test_two_indexes_of_one_label_are_one_index() -> None:
    assert {Label("app"): 1}[Label("app")] == 1


def test_a_pod_is_found_by_its_node() -> None:
    bound = Pod(raw_spec=msgspec.Raw(b'{"containers":[],"nodeName":"milan"}'))
    assert indexes.node(bound) == ("milan",)
    assert indexes.node(Pod(raw_spec=msgspec.Raw(b"{}"))) == ()
    assert indexes.node(Node()) == ()
