"""Paths and queries, as the API server wants them."""

from __future__ import annotations

import pytest

from liqo.api.kubernetes import Deployment, Node, Pod
from liqo.api.meta import Key, Meta
from liqo.kube.paths import EVERYTHING, Scope, collection, instance, query, scoped


def test_the_core_group_lives_under_api() -> None:
    assert collection(Pod.KIND) == "/api/v1/pods"


def test_other_groups_live_under_apis() -> None:
    path = instance(Deployment.KIND, Key("shop", "web"), "status")
    assert path == "/apis/apps/v1/namespaces/shop/deployments/web/status"


def test_what_belongs_to_the_whole_cluster_has_no_namespace() -> None:
    assert instance(Node.KIND, Key("ignored", "milan")) == "/api/v1/nodes/milan"


def test_a_strange_name_cannot_leave_its_place() -> None:
    assert instance(Pod.KIND, Key("shop", "../x?y")) == "/api/v1/namespaces/shop/pods/..%2Fx%3Fy"


def test_a_query_leaves_out_what_says_nothing() -> None:
    assert query("/p", a="", b=False, c=True, d=0) == "/p?c=true&d=0"
    assert query("/p", a="") == "/p"


def test_a_scope_becomes_selectors() -> None:
    scope = Scope("shop", "app=web", "spec.nodeName=milan")
    assert scoped(Pod.KIND, scope, watch=True) == (
        "/api/v1/namespaces/shop/pods"
        "?labelSelector=app%3Dweb&fieldSelector=spec.nodeName%3Dmilan&watch=true"
    )


@pytest.mark.parametrize(
    ("scope", "admitted"),
    [
        (EVERYTHING, True),
        (Scope("shop"), True),
        (Scope("bank"), False),
        (Scope(labels="app=web"), True),
        (Scope(labels="app==web,team"), True),
        (Scope(labels="app=web,tier"), False),
        (Scope(labels="app=db"), False),
        (Scope(labels="app!=db,tier!=db"), True),
        (Scope(labels="app!=web"), False),
        (Scope(labels="!tier"), False),
        (Scope(labels="app in (web,db)"), False),
        (Scope(fields="spec.nodeName=milan"), False),
    ],
    ids=str,
)
def test_a_scope_admits_what_it_chooses_for_certain(scope: Scope, admitted: bool) -> None:
    """Of the rest only the API server knows."""
    marks = {"app": "web", "team": "a"}
    pod = Pod(metadata=Meta(name="web", namespace="shop", labels=marks))
    assert scope.admits(pod) is admitted


def test_a_scope_says_what_it_covers() -> None:
    assert str(EVERYTHING) == "everything"
    assert str(Scope("shop", "app=web")) == "shop,app=web"
