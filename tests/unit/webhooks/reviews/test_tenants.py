"""Tenants: where they may be, and what their consumer may say in them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from liqo.api.authentication import Tenant, TenantSpec
from liqo.api.kubernetes import Namespace
from liqo.api.meta import JSON, Meta
from liqo.kube.reading import Metadata
from liqo.webhooks.review import ALLOW, Deny, Patch, Request, User, Verdict
from liqo.webhooks.reviews.tenants import NOT_ITS_FINALIZERS, State, mutate, observe, validate
from tests.unit.webhooks.reviews.questions import ADMIN, PEERING_USER, Told, creation, update

HOME = "liqo-tenant-rome"
MARKS = {"liqo.io/tenant-namespace": "true", "liqo.io/remote-cluster-id": "rome"}
STATE = State(MARKS, ())
ACCOUNT = User("system:serviceaccount:liqo:liqo-peer-rome")


def a_tenant(cluster_id: str = "rome", label: str | None = "rome", **spec: Any) -> Tenant:
    marks = {"liqo.io/remote-cluster-id": label} if label is not None else {}
    return Tenant(
        metadata=Meta(name=cluster_id, namespace=HOME, uid="1", labels=marks),
        spec=TenantSpec(cluster_id=cluster_id, **spec),
    )


def another(name: str, namespace: str, uid: str = "2") -> Metadata:
    return Metadata(metadata=Meta(name=name, namespace=namespace, uid=uid))


def test_the_label_is_filled_in_and_never_changed() -> None:
    labelled = Patch({"metadata": {"labels": {"liqo.io/remote-cluster-id": "rome"}}})
    assert mutate(creation(a_tenant(label=None)), None) == labelled
    assert mutate(creation(a_tenant(label="milan")), None) == ALLOW


@pytest.mark.parametrize("user", [PEERING_USER, ACCOUNT])
@pytest.mark.parametrize(
    ("spec", "change"),
    [
        ({}, {}),
        ({"tenant_condition": "Drained"}, {"tenantCondition": "Active"}),
        ({"authz_policy": "TolerateNoHandshake"}, {"authzPolicy": "KeysExchange"}),
    ],
)
def test_S4_what_a_peer_creates_has_the_default_condition_and_policy(
    user: User, spec: JSON, change: JSON
) -> None:
    expected: Verdict = Patch({"spec": change}) if change else ALLOW
    assert mutate(creation(a_tenant(**spec), user), None) == expected


@pytest.mark.parametrize(
    ("stored", "change"),
    [
        ({}, {}),
        ({"tenant_condition": "Cordoned"}, {"tenantCondition": "Cordoned"}),
        ({"authz_policy": "TolerateNoHandshake"}, {"authzPolicy": "TolerateNoHandshake"}),
    ],
)
def test_S4_what_a_peer_updates_keeps_what_its_provider_decided(stored: JSON, change: JSON) -> None:
    expected: Verdict = Patch({"spec": change}) if change else ALLOW
    assert mutate(update(a_tenant(**stored), a_tenant(), PEERING_USER), None) == expected


def test_S4_everybody_else_may_decide() -> None:
    drained = a_tenant(tenant_condition="Drained", authz_policy="TolerateNoHandshake")
    assert mutate(creation(drained, ADMIN), None) == ALLOW
    assert mutate(update(a_tenant(), drained, ADMIN), None) == ALLOW


NOT_A_TENANT_NAMESPACE = Deny(
    "resources Tenant must be created in a tenant namespace, "
    "check the documentation for further info",
    400,
)
WRONG_LABEL = Deny(
    'the "liqo.io/remote-cluster-id" label must match the cluster ID in the specs', 400
)
WRONG_NAMESPACE = Deny("the Tenant must have the same cluster ID of its tenant namespace", 403)
SECOND = Deny("a Tenant already exists in the tenant namespace", 403)
NAMESAKE = Deny(
    "tenant should have a unique name across the cluster: "
    "a Tenant with the same name already exists in the cluster",
    403,
)


@pytest.mark.parametrize("operation", ["CREATE", "UPDATE"])
@pytest.mark.parametrize(
    ("tenant", "state", "verdict"),
    [
        (a_tenant(), STATE, ALLOW),
        (a_tenant(), State({}, ()), NOT_A_TENANT_NAMESPACE),
        (
            a_tenant(),
            State({**MARKS, "liqo.io/tenant-namespace": "false"}, ()),
            NOT_A_TENANT_NAMESPACE,
        ),
        (a_tenant(label=None), STATE, WRONG_LABEL),
        (a_tenant(label="milan"), STATE, WRONG_LABEL),
        (a_tenant("venice", "venice"), STATE, WRONG_NAMESPACE),
        (a_tenant(), State(MARKS, [another("rome", "liqo-tenant-venice")]), NAMESAKE),
        (a_tenant(), State(MARKS, [another("venice", "liqo-tenant-venice")]), ALLOW),
    ],
)
def test_a_tenant_is_that_of_its_namespace(
    operation: str, tenant: Tenant, state: State, verdict: Verdict
) -> None:
    old = tenant if operation == "UPDATE" else None
    assert validate(Request(operation, ADMIN, tenant, old), state) == verdict


def test_a_namespace_has_room_for_one_tenant() -> None:
    crowded = State(MARKS, [another("venice", HOME)])
    assert validate(creation(a_tenant()), crowded) == SECOND
    assert validate(update(a_tenant(), a_tenant()), crowded) == ALLOW


def test_R25_an_id_that_makes_names_too_long_is_refused_while_it_is_new() -> None:
    long = "r" * 51
    tenant, state = a_tenant(long, long), State({**MARKS, "liqo.io/remote-cluster-id": long}, ())
    refused = validate(creation(tenant), state)
    assert isinstance(refused, Deny)
    assert "has 51 characters; at most 50 are possible" in refused.reason
    assert validate(update(tenant, tenant), state) == ALLOW


async def test_a_tenant_is_not_its_own_namesake() -> None:
    home = Namespace(metadata=Meta(name=HOME, labels=MARKS))
    other = Tenant(metadata=Meta(name="venice", namespace="liqo-tenant-venice", uid="2"))
    reader = Told([home, a_tenant(), other])
    state = await observe(reader, update(a_tenant(), a_tenant()))
    assert state.namespace == MARKS
    assert [each.metadata.name for each in state.others] == ["venice"]
    again = await observe(reader, creation(a_tenant()))
    assert again == state  # the API server answers that: AlreadyExists
    assert (await observe(Told(), creation(a_tenant()))).namespace == {}


@pytest.mark.parametrize("user", [PEERING_USER, ACCOUNT])
def test_a_peer_neither_holds_its_tenant_nor_lets_go_of_it(user: User) -> None:
    plain = a_tenant()
    metadata = msgspec.structs.replace(plain.metadata, finalizers=("tenant.liqo.io/finalizer",))
    held = msgspec.structs.replace(plain, metadata=metadata)
    for old, new in ((plain, held), (held, plain)):
        assert validate(update(old, new, user), STATE) == Deny(NOT_ITS_FINALIZERS)
        assert validate(update(old, new), STATE) == ALLOW
    assert validate(creation(held, user), STATE) == Deny(NOT_ITS_FINALIZERS)
    assert validate(update(held, held, user), STATE) == ALLOW
