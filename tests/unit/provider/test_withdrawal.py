"""A consumer takes back its own peering, and nobody else's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.authentication import (
    PeeringClaim,
    PeeringClaimSpec,
    PeeringClaimStatus,
    Renew,
    Tenant,
)
from liqo.api.kubernetes import Namespace, ServiceAccount
from liqo.api.meta import Key, Meta
from liqo.kube.paths import Scope
from liqo.kube.reading import Metadata
from liqo.provider.claim import Lender
from liqo.provider.withdrawal import State, controller, observe, plan
from liqo.runtime.plan import NOTHING, Delete, Patch, Record, do
from tests.unit.provider.things import (
    COPIED,
    HOME,
    NOW,
    a_home,
    a_renew,
    a_tenant,
    holding,
    leaving,
)

MILAN = Lender("milan")
TOKEN = ServiceAccount(
    metadata=Meta(
        name="liqo-peer-1",
        namespace="liqo",
        resource_version="1",
        labels={labels.PEERING_CLAIM: "liqo-peer-1"},
    )
)
ENDED = Patch(TOKEN, {"metadata": {"annotations": {labels.EXPIRES_AT: None}}})
FROM_A_CLAIM = a_home(**{labels.PEERING_CLAIM: "liqo-peer-1"})


def a_mark(consumer: str = "rome", **metadata: Any) -> Renew:
    given = {"annotations": {labels.WITHDRAWAL: "true"}, "name": "liqo-withdrawal", **metadata}
    asked = a_renew(consumer_cluster_id=consumer, identity_type="")
    return msgspec.structs.replace(asked, metadata=msgspec.structs.replace(asked.metadata, **given))


def a_claim(phase: Any, name: str = "liqo-peer-1", consumer: str = "rome") -> PeeringClaim:
    return PeeringClaim(
        metadata=Meta(name=name, namespace="liqo", resource_version="1"),
        spec=PeeringClaimSpec(cluster_id=consumer),
        status=PeeringClaimStatus(phase=phase),
    )


def a_state(tenant: Tenant | None, home: Metadata = FROM_A_CLAIM, *, shared: bool = False) -> State:
    return State(a_mark(), home, tenant, (TOKEN,), is_shared=shared)


def test_the_tenant_goes_first_with_what_let_it_in() -> None:
    tenant = a_tenant()
    decided = plan(a_state(tenant)).actions
    assert [each for each in decided if not isinstance(each, Record)] == [ENDED, Delete(tenant)]
    assert [each.reason for each in decided if isinstance(each, Record)] == ["Withdrawn"]


def test_while_the_tenant_goes_the_mark_stays() -> None:
    assert plan(a_state(leaving(a_tenant(), NOW))) == NOTHING


def test_the_mark_goes_last_after_the_namespace_that_was_made_for_it() -> None:
    home = Namespace(metadata=FROM_A_CLAIM.metadata)
    assert plan(a_state(None)) == do(ENDED, Delete(home), Delete(a_mark()))


def test_a_mark_that_its_consumer_holds_does_not_keep_the_namespace() -> None:
    held = a_mark(finalizers=("rome/its-own",))
    let_go = Patch(held, {"metadata": {"finalizers": None}}, only_if_unchanged=True)
    state = replace(a_state(None, a_home()), mark=held)
    assert plan(state) == do(ENDED, let_go, Delete(held))


def test_a_namespace_that_was_not_made_for_it_or_is_ours_too_stays() -> None:
    for state in (a_state(None, a_home()), a_state(None, shared=True)):
        assert plan(state) == do(ENDED, Delete(a_mark()))


def in_caches(*things: Any) -> Any:
    scopes: dict[type, Scope] = {
        PeeringClaim: Scope(namespace="liqo"),
        ServiceAccount: Scope(namespace="liqo", labels=labels.PEERING_CLAIM),
    }
    here = holding(*(each for each in things if type(each) not in scopes))
    for each in things:
        if type(each) in scopes:
            here.of(type(each), scopes[type(each)]).take(each)
    return here


@pytest.mark.parametrize(
    "mark",
    [
        a_mark(annotations={}),
        a_mark(annotations={labels.WITHDRAWAL: "false"}),
        a_mark("paris"),
        a_mark(labels={**COPIED, labels.ORIGIN_ID: "paris"}),
        a_mark(labels={}),
    ],
)
def test_what_is_no_mark_of_its_own_consumer_means_nothing(mark: Renew) -> None:
    assert observe(in_caches(mark, a_home(), a_tenant()), MILAN, mark.key) is None


def test_what_is_observed() -> None:
    waiting = a_claim("Pending", "liqo-peer-2")
    other = a_claim("Ready", "liqo-peer-3", "paris")
    here = in_caches(a_mark(), FROM_A_CLAIM, a_tenant(), a_claim("Ready"), waiting, other, TOKEN)
    assert observe(here, MILAN, a_mark().key) == a_state(a_tenant())
    assert observe(in_caches(a_mark()), MILAN, a_mark().key) is None
    assert observe(in_caches(), MILAN, Key(HOME, "gone")) is None


def test_a_token_of_a_claim_that_waits_for_this_to_end_is_spared() -> None:
    here = in_caches(a_mark(), a_home(), a_claim("Pending"), TOKEN)
    seen = observe(here, MILAN, a_mark().key)
    assert seen is not None
    assert seen.tokens == ()


def test_a_tenant_brings_the_mark_beside_it() -> None:
    here = in_caches(a_mark(), a_renew())
    assert list(controller(here, MILAN).watches[here.of(Tenant)](a_tenant())) == [a_mark().key]
