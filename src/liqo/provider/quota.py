"""Quota: the most that one consumer may use on this cluster.

Runs on   provider
Watches   ResourceSlice (received), Quota (owned), Tenant, what there is to share
Writes    Quota
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import msgspec

from liqo.api import labels
from liqo.api.authentication import ResourceSlice, Tenant, TenantCondition
from liqo.api.meta import Key, Meta
from liqo.api.offloading import Quota, QuotaSpec
from liqo.kube.cache import Caches
from liqo.provider import grant
from liqo.provider.grant import UNKNOWN, Lending, Offered, Prospect, Terms
from liqo.provider.watched import slices_of_its_peer, tenant_of
from liqo.rules import names
from liqo.rules.ownership import owned_by
from liqo.runtime.controller import Controller, itself, owner
from liqo.runtime.plan import NOTHING, Apply, Plan, Record, do


@dataclass(frozen=True)
class State:
    granted: ResourceSlice
    tenant: TenantCondition | None  # None: nobody to grant anything to, any more
    quota: Quota | None
    terms: Terms
    share: Prospect = UNKNOWN  # of slices that ask for one


def controller(here: Caches, lending: Lending) -> Controller[State]:
    return Controller(
        name="provider/quota",
        watches={
            here.of(ResourceSlice): itself,
            here.of(Quota): owner,
            here.of(Tenant): slices_of_its_peer(here),
            lending.shares: lambda key: (key,),
        },
        observe=partial(observe, here, lending),
        plan=plan,
    )


def observe(here: Caches, lending: Lending, key: Key) -> State | None:
    granted = here.of(ResourceSlice).get(key)
    if granted is None or not granted.received:
        return None  # gone, and its Quota with it by ownership; or our own request to somebody else
    quota = here.of(Quota).get(Key(key.namespace, name_of(granted)))
    tenant = condition_of(granted, tenant_of(here, granted))
    state = State(granted, tenant, quota, lending.terms)
    if not grant.is_share(granted) or not is_granted(state):
        return state
    return replace(state, share=lending.shares.prospect(granted, grant.standing(quota)))


def condition_of(granted: ResourceSlice, tenant: Tenant | None) -> TenantCondition | None:
    """Where either goes, whoever holds it, it is as good as gone."""
    if tenant is None or tenant.metadata.deletion_timestamp or granted.metadata.deletion_timestamp:
        return None
    return tenant.spec.tenant_condition


def plan(state: State) -> Plan:
    """
    accepted | may be granted now | Quota | what is done
    ---------+--------------------+-------+----------------------------------------------
    any      | it is being ended  | any   | no more pods: cordoned, if it is there
    yes      | yes                | any   | as granted: by us, or by its class controller
    yes      | no                 | none  | nothing: whoever accepted it, it was not us
    no       | any                | none  | nothing: never granted
    else     |                    | there | what runs keeps its quota, cordoned or not
    """
    if state.tenant is None:
        return close(state)
    offered = newly_granted(state) or grant.standing(state.quota)
    if offered is None:
        return do(wake_after=state.share.wait)
    quota = forge(state.granted, offered, state.terms)
    return do(Apply(quota), *troubled(state), wake_after=state.share.wait)


def troubled(state: State) -> Iterator[Record]:
    """What is granted stays; whoever decides about it should know that nobody hears him."""
    if state.share.problem:
        yield Record(state.granted, state.share.reason, state.share.problem, "Warning")


def close(state: State) -> Plan:
    """It goes with its slice; a slice that somebody holds must not keep it open meanwhile."""
    quota, standing = state.quota, grant.standing(state.quota)
    if quota is None or standing is None or quota.spec.cordoned:
        return NOTHING
    made = forge(state.granted, standing, state.terms)
    metadata = msgspec.structs.replace(made.metadata, uid=quota.metadata.uid)
    spec = msgspec.structs.replace(made.spec, cordoned=True)
    return do(Apply(Quota(metadata=metadata, spec=spec)))


def newly_granted(state: State) -> Offered | None:
    granted = state.granted
    if not is_granted(state):
        return None
    if grant.is_share(granted):
        return state.share.offered
    if grant.is_ours(granted):
        return Offered(grant.offered(granted, state.terms))
    return Offered(granted.status.resources)


def is_granted(state: State) -> bool:
    granted, tenant = state.granted, state.tenant
    if tenant is None or not granted.accepted("Resources"):
        return False
    return grant.is_open(granted, tenant, state.terms)


def forge(granted: ResourceSlice, offered: Offered, terms: Terms) -> Quota:
    """Amounts and their sum come and go together: whoever reads one reads the other."""
    user = name_of(granted)
    explained = {labels.EXPLANATION: offered.explanation} if offered.explanation else {}
    return Quota(
        metadata=Meta(
            name=user,
            namespace=granted.metadata.namespace,
            labels={labels.MANAGED: "true"},
            annotations=explained,
            owner_references=(owned_by(granted),),
        ),
        spec=QuotaSpec(
            user=user,
            resources=offered.resources,
            limits_enforcement=terms.enforcement,
            cordoned=granted.is_cordoned,
        ),
    )


def name_of(granted: ResourceSlice) -> str:
    return names.quota(granted.metadata.name, granted.spec.consumer_cluster_id)
