"""Withdrawal: a consumer that left word that it is gone is forgotten.

Runs on   provider
Watches   Renew (received, with the mark); beside it: Tenant, Namespace; PeeringClaim,
          ServiceAccount (of claims)
Writes    ServiceAccount (ends its token); deletes Tenant, Namespace and the mark itself
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from liqo.api import labels
from liqo.api.authentication import PeeringClaim, Renew, Tenant
from liqo.api.kubernetes import Namespace, ServiceAccount
from liqo.api.meta import Key, Resource
from liqo.kube.cache import Caches
from liqo.kube.indexes import namespace as by_namespace
from liqo.kube.reading import Metadata
from liqo.provider.claim import Lender, accounts, claims_of
from liqo.provider.watched import holds_our_credentials, tenant_of
from liqo.rules import tenancy
from liqo.runtime.controller import Controller, itself
from liqo.runtime.finalizers import without_strangers
from liqo.runtime.plan import NOTHING, Action, Delete, Patch, Plan, Record, do
from liqo.runtime.tenants import tenant_namespaces


@dataclass(frozen=True)
class State:
    mark: Renew
    home: Metadata
    tenant: Tenant | None
    tokens: tuple[ServiceAccount, ...]  # that let this consumer in
    is_shared: bool  # the namespace holds credentials of ours


def controller(here: Caches, lender: Lender) -> Controller[State]:
    def beside(changed: Resource) -> Iterable[Key]:
        renews = here.of(Renew).by(by_namespace, changed.metadata.namespace)
        return [renew.key for renew in renews if tenancy.is_withdrawal(renew)]

    return Controller(
        name="provider/withdrawal",
        watches={here.of(Renew): itself, here.of(Tenant): beside},
        observe=partial(observe, here, lender),
        plan=plan,
    )


def observe(here: Caches, lender: Lender, key: Key) -> State | None:
    mark = here.of(Renew).get(key)
    home = tenant_namespaces(here).get(Key("", key.namespace))
    if mark is None or home is None or not is_its_own(mark, home):
        return None
    claims = claims_of(here, lender, mark.spec.consumer_cluster_id)
    let_in = [accounts(here, lender).get(claim.key) for claim in claims if is_used(claim)]
    return State(
        mark,
        home,
        tenant_of(here, mark),
        tokens=tuple(each for each in let_in if each is not None),
        is_shared=holds_our_credentials(here, key.namespace),
    )


def plan(state: State) -> Plan:
    """
    Tenant        | what is done
    --------------+----------------------------------------------------------------------------
    live          | delete it, and end what let it in
    being deleted | nothing: its own controller takes back what it had
    none          | delete the namespace that was made for it, unless we borrow too; and the mark
    """
    tenant = state.tenant
    if tenant is None:
        held = without_strangers(state.mark)
        return do(*_ended(state), *_home(state), *held, Delete(state.mark))
    if tenant.metadata.deletion_timestamp:
        return NOTHING
    why = f"{tenant.spec.cluster_id} has unpeered"
    return do(*_ended(state), Record(tenant, "Withdrawn", why), Delete(tenant))


def is_its_own(mark: Renew, home: Metadata) -> bool:
    """Nobody may take back the peering of another."""
    consumer = mark.spec.consumer_cluster_id
    origin = mark.metadata.labels.get(labels.ORIGIN_ID)
    return (
        tenancy.is_withdrawal(mark)
        and origin == consumer
        and tenancy.is_tenant_namespace(home, consumer)
    )


def is_used(claim: PeeringClaim) -> bool:
    """A claim that waits for this withdrawal to end is the next peering's."""
    return claim.status.phase == "Ready"


def _ended(state: State) -> Iterator[Action]:
    """Who knows no end has ended: all that belongs to the claim then goes at once."""
    for token in state.tokens:
        yield Patch(token, {"metadata": {"annotations": {labels.EXPIRES_AT: None}}})


def _home(state: State) -> Iterator[Action]:
    """Before the mark: who is interrupted in between finds the mark again."""
    if labels.PEERING_CLAIM in state.home.metadata.labels and not state.is_shared:
        yield Delete(Namespace(metadata=state.home.metadata))
