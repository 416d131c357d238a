"""What was left behind without its ShadowPod does not stay."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import Key, Meta, OwnerReference
from liqo.kube.cache import Caches
from liqo.provider.shadowpod import OURS
from liqo.provider.stray import controller, observe, plan, strays
from liqo.runtime.plan import Delete, do
from tests.unit.provider.things import holding

KEY = Key("shop-rome", "web")
FROM_ROME = {labels.ORIGIN: "rome", labels.MANAGED_BY: "shadowpod"}
LEAVING = datetime(2026, 11, 18, 10, 0, tzinfo=UTC)


def owned(kind: str) -> tuple[OwnerReference, ...]:
    return (OwnerReference(api_version="v1", kind=kind, name="web", uid="1"),)


def a_pod(**metadata: object) -> Pod:
    named = {"name": KEY.name, "namespace": KEY.namespace, "resource_version": "4"}
    said = {**named, "labels": FROM_ROME, **metadata}
    return Pod(metadata=Meta(**said))  # type: ignore[arg-type] # a test names what it is about


def following(pod: Pod) -> Caches:
    here = holding()
    here.of(Pod, OURS).take(pod)
    return here


@pytest.mark.parametrize("owners", [(), owned("ReplicaSet")], ids=["nobody", "somebody else"])
def test_a_pod_whose_owner_is_no_shadow_pod_is_ended(owners: tuple[OwnerReference, ...]) -> None:
    pod = a_pod(owner_references=owners)
    assert strays(pod) == (KEY,)
    assert observe(following(pod), KEY) == pod
    assert plan(pod) == do(Delete(pod))


@pytest.mark.parametrize(
    "pod",
    [
        a_pod(owner_references=owned("ShadowPod")),
        a_pod(labels={labels.MANAGED_BY: "shadowpod"}),
        a_pod(deletion_timestamp=LEAVING),
    ],
    ids=["of a ShadowPod", "of no consumer", "on its way out"],
)
def test_any_other_is_left_alone(pod: Pod) -> None:
    assert strays(pod) == ()
    assert observe(following(pod), KEY) is None


def test_one_that_is_gone_needs_nothing() -> None:
    assert observe(holding(), KEY) is None


def test_it_looks_at_pods_made_of_shadow_pods_alone() -> None:
    here = holding()
    assert list(controller(here).watches) == [here.of(Pod, OURS)]
