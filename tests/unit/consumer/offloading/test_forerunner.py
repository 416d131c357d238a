"""Pods that were there before their namespace was offloaded."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import Key, Meta, OwnerReference
from liqo.api.offloading import NamespaceOffloadingSpec
from liqo.consumer.offloading.forerunner import WAITING, State, controller, observe, plan
from liqo.rules.placement import IS_VIRTUAL, REQUIRED, TOLERATION
from liqo.rules.selectors import Candidate
from liqo.runtime.plan import NOTHING, Delete, Patch, Record, do
from tests.unit.consumer.offloading.things import (
    JUST_NOW,
    LONG_AGO,
    NOW,
    SOUTH,
    a_namespace,
    a_virtual_node,
    bring_namespace,
    bring_node,
    clock,
    offloading,
)
from tests.unit.consumer.things import caches, put


def owned_by(kind: str) -> tuple[OwnerReference, ...]:
    owner = OwnerReference(api_version="apps/v1", kind=kind, name="web", uid="1", controller=True)
    return (owner,)


OWNED = owned_by("ReplicaSet")
REMOTE = NamespaceOffloadingSpec(pod_offloading_strategy="Remote")
VIRTUAL = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [IS_VIRTUAL]}]}}}
OPEN = {labels.SCHEDULING_ENABLED: "true"}
KEY = Key("shop", "web")
NODES = (
    Candidate("milan", {labels.TYPE: "virtual-node", labels.REGION: "north"}),
    Candidate("turin", {labels.TYPE: "virtual-node", labels.REGION: "south"}),
)
IN_THE_SOUTH = NamespaceOffloadingSpec(cluster_selector=SOUTH)


def a_pod(spec: Any = None, **metadata: Any) -> Pod:
    said = {"name": "web", "namespace": "shop", "uid": "p-1", "resource_version": "1", **metadata}
    return Pod(metadata=Meta(**said), raw_spec=msgspec.Raw(msgspec.json.encode(spec or {})))


def state(pod: Pod, policy: NamespaceOffloadingSpec | None = None, **metadata: Any) -> State:
    return State(pod, offloading(spec=policy, **metadata), "liqo", NODES, NOW)


@pytest.mark.parametrize("owners", [(), OWNED])
def test_a_toleration_is_added_whoever_owns_the_pod(owners: tuple[OwnerReference, ...]) -> None:
    pod = a_pod(owner_references=owners)
    change = {"spec": {"tolerations": [TOLERATION]}}
    assert plan(state(pod)) == do(Patch(pod, change, only_if_unchanged=True))


def test_a_pod_that_could_stray_is_not_let_out() -> None:
    [told] = plan(state(a_pod(), IN_THE_SOUTH)).actions
    assert isinstance(told, Record)
    owned = a_pod(owner_references=OWNED)
    assert plan(state(owned, IN_THE_SOUTH)) == do(Delete(owned, only_if_unchanged=True))


def test_a_pod_that_asks_for_a_selected_cluster_itself_cannot_stray() -> None:
    choosy = {"nodeSelector": {labels.REGION: "south"}}
    pod = a_pod(choosy)
    change = {"spec": {"tolerations": [TOLERATION]}}
    assert plan(state(pod, IN_THE_SOUTH)) == do(Patch(pod, change, only_if_unchanged=True))
    assert plan(state(a_pod({**choosy, "tolerations": [TOLERATION]}), IN_THE_SOUTH)) == NOTHING


def test_a_pod_is_not_let_out_before_there_is_a_node_to_judge_by() -> None:
    unseen = replace(state(a_pod(), IN_THE_SOUTH), nodes=())
    [told] = plan(unseen).actions
    assert isinstance(told, Record)


def test_what_cannot_be_added_is_left_to_the_owner() -> None:
    pod = a_pod(owner_references=OWNED)
    assert plan(state(pod, REMOTE)) == do(Delete(pod, only_if_unchanged=True))


@pytest.mark.parametrize(
    ("born", "is_replaced"),
    [("2026-11-16T11:00:03Z", True), ("2026-11-16T11:59:50Z", False), (JUST_NOW, True)],
)
def test_one_that_lacks_the_same_again_is_not_replaced_as_soon(
    born: str, is_replaced: bool
) -> None:
    """The namespace is offloaded for an hour."""
    pod = a_pod(owner_references=OWNED, creation_timestamp=born)
    decided = plan(state(pod, REMOTE, creation_timestamp=LONG_AGO))
    assert decided == (
        do(Delete(pod, only_if_unchanged=True)) if is_replaced else do(wake_after=20)
    )


@pytest.mark.parametrize("owners", [(), owned_by("Job")])
def test_what_nobody_makes_again_or_a_job_would_call_failed_is_told(
    owners: tuple[OwnerReference, ...],
) -> None:
    [told] = plan(state(a_pod(owner_references=owners), REMOTE)).actions
    assert isinstance(told, Record)
    assert told.reason == "CreatedTooEarly"


def test_a_pod_that_asks_for_what_its_policy_wants_needs_no_more_than_the_toleration() -> None:
    pod = a_pod({"affinity": VIRTUAL})
    [added] = plan(state(pod, REMOTE)).actions
    assert isinstance(added, Patch)


@pytest.mark.parametrize(
    "settled",
    [
        state(a_pod({"tolerations": [TOLERATION]})),
        state(a_pod({"tolerations": [TOLERATION], "affinity": VIRTUAL}), REMOTE),
        state(a_pod(), NamespaceOffloadingSpec(pod_offloading_strategy="Local")),
        state(a_pod({"runtimeClassName": "liqo"})),
        state(a_pod(deletion_timestamp=JUST_NOW)),
        state(a_pod(), deletion_timestamp=JUST_NOW),
    ],
)
def test_what_lacks_nothing_or_ends_is_left_alone(settled: State) -> None:
    assert plan(settled) == NOTHING


def test_nothing_is_done_before_pods_are_completed_there() -> None:
    here = caches()
    put(here, offloading())
    assert observe(here, "liqo", clock, KEY) is None
    put(here, a_pod(), WAITING)
    assert observe(here, "liqo", clock, KEY) is None
    bring_namespace(here, a_namespace())
    assert observe(here, "liqo", clock, KEY) is None
    bring_namespace(here, a_namespace("other", OPEN))
    put(here, a_pod(namespace="other"), WAITING)
    assert observe(here, "liqo", clock, Key("other", "web")) is None


def test_it_is_seen_once_its_namespace_is_open() -> None:
    here = caches()
    put(here, offloading())
    put(here, a_pod(), WAITING)
    bring_namespace(here, a_namespace(marks=OPEN))
    for node in NODES:
        bring_node(here, node.name, dict(node.labels))
    assert observe(here, "liqo", clock, KEY) == state(a_pod())
    of_pod, of_offloading, of_namespace, of_node = controller(here, "liqo", clock).watches.values()
    assert list(of_node(a_virtual_node())) == []
    put(here, offloading(spec=IN_THE_SOUTH, resource_version="2"))
    assert list(of_node(a_virtual_node())) == [KEY]  # it may stray there
    assert list(of_pod(a_pod())) == [KEY]
    assert list(of_offloading(offloading())) == [KEY]
    assert list(of_namespace(a_namespace())) == [KEY]
    assert list(of_namespace(a_namespace("other"))) == []
