"""Where our own programs may read Secrets, and for how long."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.kubernetes import RoleBinding
from liqo.api.meta import Key, Meta
from liqo.kube.reading import Metadata
from liqo.peering.tenantnamespace import FINALIZER, State, controller, forge, observe, plan
from liqo.runtime.plan import NOTHING, Apply, Create, Manifest, Patch
from liqo.runtime.tenants import OF_PEERS, secrets, tenant_namespaces
from tests.builders import bring
from tests.unit.consumer import things

HOME = Metadata(metadata=things.a_namespace().metadata)
LATER = {"deletion_timestamp": "2026-11-15T10:17:16Z"}


def going(**metadata: Any) -> Metadata:
    return Metadata(metadata=msgspec.structs.replace(HOME.metadata, **LATER, **metadata))


def a_state(home: Metadata = HOME, *, needed: bool = False, **bindings: Any) -> State:
    there = {"controllers": a_binding(), "webhook": a_binding("liqo-webhook"), **bindings}
    return State(home, "liqo", needed=needed, **there)


def a_binding(name: str = "liqo-controller-manager", **more: Any) -> RoleBinding:
    """As we made it."""
    made = forge(State(HOME, "liqo", None, None, needed=False), name).body
    marks = {"labels": made["metadata"]["labels"], "resource_version": "1", "uid": "b", **more}
    metadata = Meta(name=name, namespace=things.NAMESPACE, **marks)
    role, subjects = (things.raw(made[part]) for part in ("roleRef", "subjects"))
    return RoleBinding(metadata=metadata, raw_role_ref=role, raw_subjects=subjects)


BODIES = [
    {
        "metadata": {
            "name": account,
            "namespace": "liqo-tenant-milan",
            "labels": {
                "app.kubernetes.io/managed-by": "liqo",
                "liqo.io/remote-cluster-id": "milan",
            },
        },
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": f"{account}-tenant",
        },
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": "liqo"}],
    }
    for account in ("liqo-controller-manager", "liqo-webhook")
]


def test_a_new_tenant_namespace_gets_both_bindings() -> None:
    made = plan(a_state(controllers=None, webhook=None)).actions
    wanted = (Manifest(RoleBinding.KIND, body) for body in BODIES)
    assert made == tuple(Create(each, or_apply=True) for each in wanted)


def test_what_is_as_it_should_be_is_left_alone() -> None:
    assert plan(a_state()) == NOTHING
    assert plan(a_state(needed=True, controllers=a_binding(finalizers=(FINALIZER,)))) == NOTHING


def test_a_binding_that_somebody_gave_to_another_is_put_right() -> None:
    other = msgspec.structs.replace(
        a_binding(), raw_subjects=things.raw([{"kind": "User", "name": "eve"}])
    )
    (action,) = plan(a_state(controllers=other)).actions
    assert isinstance(action, Apply)


@pytest.mark.parametrize(
    ("home", "needed", "held", "wanted"),
    [
        (HOME, True, (), [FINALIZER]),
        (HOME, False, (FINALIZER,), None),
        (going(), False, (FINALIZER,), None),
    ],
)
def test_our_binding_is_held_while_a_secret_needs_it(
    home: Metadata, needed: bool, held: tuple[str, ...], wanted: object
) -> None:
    binding = a_binding(finalizers=held)
    (action,) = plan(a_state(home, needed=needed, controllers=binding)).actions
    assert isinstance(action, Patch)
    assert action.change == {"metadata": {"finalizers": wanted}}


def test_in_a_namespace_that_ends_nothing_is_made_and_nothing_is_let_go_too_early() -> None:
    assert plan(a_state(going(), controllers=None, webhook=None)) == NOTHING
    ending = a_binding(finalizers=(FINALIZER,), **LATER)
    assert plan(a_state(going(), needed=True, controllers=ending)) == NOTHING
    bare = a_binding(finalizers=("somebody/else",), **LATER)
    assert plan(a_state(going(), needed=True, controllers=bare)) == NOTHING


def test_what_is_observed() -> None:
    here, key = things.caches(), Key("", things.NAMESPACE)
    watched = controller(here, "liqo").watches
    assert observe(here, "liqo", key) is None
    tenant_namespaces(here).take(HOME)
    assert observe(here, "liqo", key) == a_state(controllers=None, webhook=None)
    for name in ("liqo-controller-manager", "liqo-webhook"):
        here.of(RoleBinding, OF_PEERS).take(a_binding(name))
    bring(here, things.a_secret("free", {}))
    assert observe(here, "liqo", key) == a_state()
    waiting = things.a_secret("kubeconfig", {}, finalizers=(labels.REPLICATOR_FINALIZER,))
    bring(here, waiting)
    assert observe(here, "liqo", key) == a_state(needed=True)
    assert list(watched[secrets(here)](waiting)) == [key]
