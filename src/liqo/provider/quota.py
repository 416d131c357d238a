"""Quota: the most that one consumer may use on this cluster.

Runs on   provider
Watches   ResourceSlice (received), Quota (owned), Tenant
Writes    Quota
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from liqo.api import labels
from liqo.api.authentication import ResourceSlice, Tenant, TenantCondition
from liqo.api.meta import Key, Meta
from liqo.api.offloading import Quota, QuotaSpec
from liqo.api.values import ResourceList
from liqo.kube.cache import Caches
from liqo.provider import grant
from liqo.provider.grant import Terms
from liqo.provider.watched import slices_of_its_peer, tenant_of
from liqo.rules import names
from liqo.rules.ownership import owned_by
from liqo.runtime.controller import Controller, itself, owner
from liqo.runtime.plan import NOTHING, Apply, Plan, do


@dataclass(frozen=True)
class State:
    granted: ResourceSlice
    tenant: TenantCondition
    quota: Quota | None
    terms: Terms


def controller(here: Caches, terms: Terms) -> Controller[State]:
    return Controller(
        name="provider/quota",
        watches={
            here.of(ResourceSlice): itself,
            here.of(Quota): owner,
            here.of(Tenant): slices_of_its_peer(here),
        },
        observe=partial(observe, here, terms),
        plan=plan,
    )


def observe(here: Caches, terms: Terms, key: Key) -> State | None:
    granted = here.of(ResourceSlice).get(key)
    if granted is None or not granted.received or granted.metadata.deletion_timestamp is not None:
        return None  # gone, and its Quota with it by ownership; or our own request to somebody else
    tenant = tenant_of(here, granted)
    if tenant is None:
        return None  # nobody to grant anything to
    quota = here.of(Quota).get(Key(key.namespace, name_of(granted)))
    return State(granted, tenant.spec.tenant_condition, quota, terms)


def plan(state: State) -> Plan:
    """
    accepted | may be granted now | Quota | what is done
    ---------+--------------------+-------+----------------------------------------------
    yes      | yes                | any   | as granted: by us, or by its class controller
    yes      | no                 | none  | nothing: whoever accepted it, it was not us
    no       | any                | none  | nothing: never granted
    else     |                    | there | what runs keeps its quota, cordoned or not
    """
    resources = newly_granted(state)
    if resources is None and state.quota is not None:
        resources = state.quota.spec.resources
    if resources is None:
        return NOTHING
    return do(Apply(forge(state.granted, resources, state.terms)))


def newly_granted(state: State) -> ResourceList | None:
    granted = state.granted
    if not granted.accepted("Resources"):
        return None
    if not grant.is_open(granted, state.tenant, state.terms):
        return None
    return (
        grant.offered(granted, state.terms) if grant.is_ours(granted) else granted.status.resources
    )


def forge(granted: ResourceSlice, resources: ResourceList, terms: Terms) -> Quota:
    user = name_of(granted)
    return Quota(
        metadata=Meta(
            name=user,
            namespace=granted.metadata.namespace,
            labels={labels.MANAGED: "true"},
            owner_references=(owned_by(granted),),
        ),
        spec=QuotaSpec(
            user=user,
            resources=resources,
            limits_enforcement=terms.enforcement,
            cordoned=granted.is_cordoned,
        ),
    )


def name_of(granted: ResourceSlice) -> str:
    return names.quota(granted.metadata.name, granted.spec.consumer_cluster_id)
