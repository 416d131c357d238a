"""A role that an administrator adds to one of ours."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.kubernetes import ClusterRole, RoleBinding
from liqo.api.meta import JSON, Key, Meta
from liqo.kube.access import Access
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Conflict, Forbidden, KubeError
from liqo.runtime.addedrights import (
    NOT_ADDED,
    Place,
    State,
    all_of,
    binding,
    failed,
    observe,
    plan,
    whose,
)
from liqo.runtime.plan import NOTHING, Apply, Create, Delete, Record, do
from liqo.runtime.tenants import OF_PEERS

BASE, NAME = "virtual-kubelet-remote", "reflect-widgets"
KEY = Key("", NAME)
MARKS = {labels.REMOTE_CLUSTER_ID: "rome"}
SUBJECT = {"kind": "Group", "name": "rome"}
SHOP, BANK = (Place(each, "liqo-tenant-rome", MARKS, SUBJECT) for each in ("shop", "bank"))


def a_role(base: str = BASE) -> ClusterRole:
    marks = {labels.ADDED_TO: base}
    return ClusterRole(metadata=Meta(name=NAME, uid="r", resource_version="1", labels=marks))


def given(place: Place, role: str = NAME, subjects: list[Any] | None = None) -> RoleBinding:
    body = binding(role, BASE, place).body
    said = {"raw_role_ref": body["roleRef"], "raw_subjects": subjects or body["subjects"]}
    raw = {name: msgspec.Raw(msgspec.json.encode(each)) for name, each in said.items()}
    known: JSON = {"uid": place.namespace, "resource_version": "1"}
    return RoleBinding(metadata=Meta(**body["metadata"], **known), **raw)


WANTED = binding(NAME, BASE, SHOP)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        pytest.param(State(a_role(), (WANTED,), ()), do(Create(WANTED, or_apply=True)), id="new"),
        pytest.param(State(a_role(), (WANTED,), (given(SHOP),)), NOTHING, id="there"),
        pytest.param(
            State(a_role(), (WANTED,), (given(SHOP, subjects=[{}]),)),
            do(Apply(WANTED)),
            id="changed by somebody",
        ),
        pytest.param(
            State(a_role(), (WANTED,), (given(BANK),)),
            do(Delete(given(BANK)), Create(WANTED, or_apply=True)),
            id="not there any more",
        ),
        pytest.param(State(None, (), (given(SHOP),)), do(Delete(given(SHOP))), id="role gone"),
    ],
)
def test_it_is_bound_where_the_other_is(state: State, expected: object) -> None:
    assert plan(state) == expected


def test_a_binding_is_to_those_who_have_the_other_one() -> None:
    metadata = {
        "name": "liqo-tenant-rome-reflect-widgets",
        "namespace": "shop",
        "labels": {**MARKS, labels.ADDED_TO: BASE},
    }
    reference = {"kind": "ClusterRole", "name": NAME, "apiGroup": "rbac.authorization.k8s.io"}
    assert WANTED.body == {"metadata": metadata, "roleRef": reference, "subjects": [SUBJECT]}


def test_who_may_not_bind_it_says_what_is_missing() -> None:
    [told] = failed(State(a_role(), (WANTED,), ()), Forbidden("rome: no")).actions
    assert isinstance(told, Record)
    assert (told.about, told.reason, told.type) == (a_role(), NOT_ADDED, "Warning")
    assert '"bind" on clusterroles with the resourceName "reflect-widgets"' in told.message


@pytest.mark.parametrize(
    ("role", "error"), [(a_role(), Conflict("late")), (None, Forbidden("no"))], ids=["late", "gone"]
)
def test_of_what_passes_by_itself_nobody_is_told(role: ClusterRole, error: KubeError) -> None:
    assert failed(State(role, (), ()), error) == NOTHING


async def test_what_is_seen_of_a_role() -> None:
    here = Caches(Cluster(Access("http://rome.invalid")))
    assert observe(here, BASE, [SHOP], KEY) is None
    here.of(RoleBinding, OF_PEERS).take(given(SHOP))
    here.of(RoleBinding, OF_PEERS).take(given(BANK, "another"))
    assert observe(here, BASE, [SHOP], KEY) == State(None, (), (given(SHOP),))
    here.of(ClusterRole).take(a_role())
    assert observe(here, BASE, [SHOP], KEY) == State(a_role(), (WANTED,), (given(SHOP),))
    assert observe(here, "virtual-kubelet-namespace", [SHOP], KEY) is None
    assert all_of(here, BASE)(None) == [KEY]


def test_only_a_binding_that_adds_concerns_a_role() -> None:
    assert list(whose(given(SHOP))) == [KEY]
    assert list(whose(RoleBinding(metadata=Meta(name="other", namespace="shop")))) == []
