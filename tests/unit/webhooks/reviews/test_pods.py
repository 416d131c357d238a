"""Pods of offloaded namespaces, completed."""

from typing import Any

import msgspec
import pytest

from liqo.api.kubernetes import Pod
from liqo.api.meta import Key, Meta
from liqo.api.offloading import NamespaceOffloading, NamespaceOffloadingSpec
from liqo.rules.kubelets import Surroundings
from liqo.rules.placement import TOLERATION
from liqo.webhooks.review import ALLOW, Patch
from liqo.webhooks.reviews.pods import DEFAULT, HOME, mutate, observe, observe_labelled
from tests.unit.webhooks.reviews.questions import Told, creation

HERE = Surroundings("rome", "liqo")
REMOTE = NamespaceOffloadingSpec(pod_offloading_strategy="Remote")


def a_pod(**spec: Any) -> Pod:
    raw = msgspec.Raw(msgspec.json.encode(spec))
    return Pod(metadata=Meta(name="web", namespace="shop"), raw_spec=raw)


def offloading(spec: NamespaceOffloadingSpec = REMOTE, **metadata: Any) -> NamespaceOffloading:
    said = Meta(name="offloading", namespace="shop", **metadata)
    return NamespaceOffloading(metadata=said, spec=spec)


def unknown(_: Key) -> None:
    return None


def test_A23_the_toleration_is_added() -> None:
    change = {"spec": {"tolerations": [TOLERATION]}}
    assert mutate("liqo", creation(a_pod()), DEFAULT) == Patch(change)


def test_a_pod_that_needs_nothing_is_left_as_it_is() -> None:
    assert mutate("liqo", creation(a_pod(tolerations=[TOLERATION])), DEFAULT) == ALLOW
    assert mutate("liqo", creation(a_pod(runtimeClassName="liqo")), DEFAULT) == ALLOW
    assert mutate("liqo", creation(a_pod()), HOME) == ALLOW


async def test_the_copy_is_asked_first_and_then_the_cluster() -> None:
    nobody = Told()
    known = offloading()
    assert await observe(lambda _: known, HOME, nobody, creation(a_pod())) == REMOTE
    assert await observe(unknown, HOME, Told([known]), creation(a_pod())) == REMOTE


async def test_a_copy_that_keeps_pods_at_home_may_be_behind() -> None:
    """The strategy has changed, or it went and another one came: we would not be asked else."""
    after = Told([offloading()])
    gone = offloading(deletion_timestamp="2026-11-16T00:00:00Z")
    assert await observe(lambda _: offloading(HOME), HOME, after, creation(a_pod())) == REMOTE
    assert await observe(lambda _: gone, HOME, after, creation(a_pod())) == REMOTE


async def test_without_an_offloading_a_pod_is_what_its_namespace_says() -> None:
    assert await observe(unknown, HOME, Told(), creation(a_pod())) == HOME
    assert await observe(unknown, DEFAULT, Told(), creation(a_pod())) == DEFAULT


@pytest.mark.parametrize(
    ("namespace", "policy"),
    [("shop", DEFAULT), ("kube-flannel", HOME), ("liqo", HOME), ("s" * 60, HOME)],
)
async def test_by_a_label_pods_may_leave_where_there_can_be_an_offloading(
    namespace: str, policy: NamespaceOffloadingSpec
) -> None:
    pod = Pod(metadata=Meta(name="web", namespace=namespace))
    assert await observe_labelled(HERE, unknown, Told(), creation(pod)) == policy


async def test_where_an_offloading_goes_pods_stay() -> None:
    leaving = offloading(deletion_timestamp="2026-11-16T00:00:00Z")
    assert await observe(lambda _: leaving, DEFAULT, Told([leaving]), creation(a_pod())) == HOME
