"""What is seen of a claim, and of whom it is from."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.authentication import (
    Identity,
    PeeringClaim,
    Renew,
    Tenant,
)
from liqo.api.kubernetes import (
    ClusterRoleBinding,
    Role,
    RoleBinding,
    Secret,
    ServiceAccount,
)
from liqo.api.meta import Meta
from liqo.kube.paths import Scope
from liqo.kube.reading import Metadata
from liqo.provider.claim import (
    controller,
    observe,
)
from liqo.provider.watched import CLAIMED
from liqo.rules import tenancy
from liqo.runtime.sights import NAMESPACES
from tests.unit.provider.claims import (
    GIVEN,
    KEY,
    MILAN,
    OURS,
    OWN,
    a_claim,
    a_role,
    a_state,
    a_token,
)
from tests.unit.provider.things import (
    HOME,
    NOW,
    a_home,
    a_renew,
    a_tenant,
    holding,
    leaving,
    raw,
)


def in_caches(*things: Any) -> Any:
    """As `holding`, and what only this controller follows."""
    scopes: dict[type, Scope] = {
        PeeringClaim: Scope(namespace="liqo"),
        ServiceAccount: OURS,
        Role: OURS,
        RoleBinding: CLAIMED,
    }
    here = holding(*(each for each in things if type(each) not in scopes))
    for each in things:
        if type(each) in scopes:
            here.of(type(each), scopes[type(each)]).take(each)
    return here


def a_grant(kind: str, name: str, namespace: str = "", **marks: str) -> Any:
    """A role that somebody gave to that user or group."""
    model = RoleBinding if namespace else ClusterRoleBinding
    return model(
        metadata=Meta(name="given", namespace=namespace, resource_version="1", labels=marks),
        raw_role_ref=raw({"kind": "ClusterRole", "name": "admin"}),
        raw_subjects=raw([{"kind": kind, "name": name}]),
    )


@pytest.mark.parametrize(
    ("given", "is_bound"),
    [
        (a_grant("User", "rome"), True),
        (a_grant("Group", "rome"), True),
        (a_grant("Group", "rome", "shop"), True),
        (a_grant("ServiceAccount", "rome", "shop"), False),
        (a_grant("Group", "paris"), False),
        (a_grant("User", "rome", HOME), False),
        (a_grant("Group", "rome", **{labels.REMOTE_CLUSTER_ID: "rome"}), False),
    ],
)
def test_whether_the_provider_has_given_rights_to_such_a_name_is_seen(
    given: Any, is_bound: bool
) -> None:
    here = in_caches(a_token(), a_claim(), a_home())
    here.of(type(given)).take(given)
    assert observe(here, MILAN, lambda: NOW, KEY).is_bound is is_bound


@pytest.mark.parametrize(
    ("marks", "in_the_way"),
    [
        (None, ""),
        ({}, HOME),
        (tenancy.namespace_labels("paris"), HOME),
        (tenancy.namespace_labels("rome"), ""),  # it is: another copy has not told us yet
    ],
)
def test_a_namespace_of_somebody_else_that_has_its_name_is_seen(
    marks: dict[str, str] | None, in_the_way: str
) -> None:
    here = in_caches(a_token(), a_claim())
    there = Metadata(metadata=Meta(name=HOME, resource_version="1", labels=marks or {}))
    if marks is not None:
        here.of(NAMESPACES).take(there)
    assert observe(here, MILAN, lambda: NOW, KEY).in_the_way == in_the_way
    concerned = controller(here, MILAN).watches[here.of(NAMESPACES)]
    assert list(concerned(there)) == [KEY]
    assert list(concerned(Metadata(metadata=Meta(name="shop")))) == []


def test_what_is_observed() -> None:
    rival = a_claim(None, "liqo-peer-1")
    stranger = a_claim(None, "liqo-peer-2", cluster_id="paris")
    role, tenant = a_role(may_claim=True), a_tenant()
    here = in_caches(a_token(), a_claim(), rival, stranger, role, OWN, a_home(), tenant)
    expected = a_state(role=role, tenants=(tenant,), rivals=(rival,))
    assert observe(here, MILAN, lambda: NOW, KEY) == expected


@pytest.mark.parametrize(
    "thing",
    [
        leaving(a_tenant(), NOW),
        msgspec.structs.replace(
            a_renew(),
            metadata=msgspec.structs.replace(
                a_renew().metadata, annotations={labels.WITHDRAWAL: "true"}
            ),
        ),
        msgspec.structs.replace(
            a_home(),
            metadata=msgspec.structs.replace(
                a_home().metadata, deletion_timestamp=NOW.isoformat(), resource_version="2"
            ),
        ),
    ],
)
def test_an_earlier_peering_is_being_taken_down(thing: Any) -> None:
    here = in_caches(a_token(), a_claim(), a_home(), thing)
    assert observe(here, MILAN, lambda: NOW, KEY).is_leaving
    assert not observe(
        in_caches(a_claim(), a_home(), a_renew()), MILAN, lambda: NOW, KEY
    ).is_leaving


def test_what_happens_to_a_consumer_concerns_its_claims() -> None:
    here = in_caches(a_claim(), a_claim(None, "liqo-peer-2", cluster_id="paris"))
    watches = controller(here, MILAN).watches
    for cache, keys_of in watches.items():
        if cache.reading.model is Tenant:
            assert list(keys_of(a_tenant())) == [KEY]
        if cache is here.of(RoleBinding, CLAIMED):
            assert list(keys_of(GIVEN[0])) == [KEY]
        if cache is here.of(RoleBinding):  # looked at, and waited for by nobody
            assert list(keys_of(GIVEN[0])) == []
    followed = {cache.reading.model for cache in watches}
    assert followed >= {PeeringClaim, ServiceAccount, Metadata, Renew, Identity, Secret}
