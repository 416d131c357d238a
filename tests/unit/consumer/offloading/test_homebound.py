"""Pods that got a node of rome's just before they should not."""

from typing import Any

import msgspec
import pytest

from liqo.api.kubernetes import Pod
from liqo.api.meta import Key, Meta, OwnerReference
from liqo.api.offloading import NamespaceOffloading, NamespaceOffloadingSpec, PodStrategy
from liqo.consumer.offloading.homebound import State, beginning, controller, fresh, observe, plan
from liqo.kube.reading import Metadata
from liqo.rules.opening import opened
from liqo.runtime.plan import NOTHING, Delete, do
from tests.unit.consumer.offloading.things import (
    JUST_NOW,
    NOW,
    a_namespace,
    bring_namespace,
    bring_node,
    offloading,
)
from tests.unit.consumer.things import caches, put

DEFAULT = NamespaceOffloadingSpec()
REMOTE = NamespaceOffloadingSpec(pod_offloading_strategy="Remote")
KEY = Key("shop", "web")


def owned_by(kind: str) -> tuple[OwnerReference, ...]:
    owner = OwnerReference(api_version="apps/v1", kind=kind, name="web", uid="1", controller=True)
    return (owner,)


def a_pod(node: str = "rome-worker", **metadata: Any) -> Pod:
    said = {
        "name": "web",
        "namespace": "shop",
        "uid": "p-1",
        "resource_version": "1",
        "owner_references": owned_by("ReplicaSet"),
        "creation_timestamp": "2026-11-16T11:59:58Z",
        **metadata,
    }
    spec = {"nodeName": node} if node else {}
    return Pod(metadata=Meta(**said), raw_spec=msgspec.Raw(msgspec.json.encode(spec)))


def begun(spec: NamespaceOffloadingSpec = REMOTE, **metadata: Any) -> NamespaceOffloading:
    return offloading(spec=spec, creation_timestamp="2026-11-16T12:00:00Z", **metadata)


def a_town(strategy: PodStrategy = "Remote") -> Metadata:
    return a_namespace(annotations=opened(strategy, NOW)["annotations"])


@pytest.mark.parametrize(
    ("pod", "is_deleted"),
    [
        (a_pod(), True),
        (a_pod(creation_timestamp="2026-11-16T12:00:01Z"), True),
        (a_pod(creation_timestamp="2026-11-16T12:00:04Z"), False),
        (a_pod(creation_timestamp="2026-11-16T11:59:56Z"), False),
        (a_pod(deletion_timestamp=JUST_NOW), False),
        (a_pod(owner_references=()), False),
        (a_pod(owner_references=owned_by("DaemonSet")), False),
        (a_pod(owner_references=owned_by("Job")), False),
    ],
)
def test_only_what_came_with_the_offloading_and_comes_again_goes(
    pod: Pod, is_deleted: bool
) -> None:
    assert plan(State(pod, begun())) == (do(Delete(pod)) if is_deleted else NOTHING)


@pytest.mark.parametrize("wanted", [begun(deletion_timestamp=JUST_NOW), begun(DEFAULT)])
def test_who_may_stay_after_all_stays(wanted: NamespaceOffloading) -> None:
    assert plan(State(a_pod(), wanted)) == NOTHING


@pytest.mark.parametrize(
    ("namespace", "followed"),
    [(a_town(), ["shop"]), (a_town("LocalAndRemote"), []), (a_namespace(), [])],
)
def test_pods_are_followed_only_for_seconds_after_it_was_opened(
    namespace: Metadata, followed: list[str]
) -> None:
    """Whatever its NamespaceOffloading says: with each new cluster it is InProgress again."""
    assert list(fresh(namespace)) == followed


def test_nodes_of_providers_and_pods_without_one_are_as_they_should_be() -> None:
    here = caches()
    bring_namespace(here, a_town())
    put(here, begun())
    assert observe(here, KEY) is None
    bring_node(here, "milan", {})
    for node, version in (("milan", "2"), ("", "3")):
        beginning(here).take(a_pod(node, resource_version=version))
        assert observe(here, KEY) is None
    local = a_pod(resource_version="4")
    beginning(here).take(local)
    assert observe(here, KEY) == State(local, begun())
    of_pod, of_offloading = controller(here).watches.values()
    assert list(of_pod(local)) == [KEY]
    assert list(of_offloading(begun())) == [KEY]
    assert list(of_offloading(offloading("farm"))) == []
