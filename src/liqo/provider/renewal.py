"""Renewal: a consumer learns of the new certificate of its control plane through its Renew.

Runs on   provider
Watches   Renew (received), Tenant, Namespace (of tenants)
Writes    Renew.status
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import msgspec

from liqo.api.authentication import Renew, Tenant
from liqo.api.meta import Key, Resource
from liqo.kube.cache import Caches
from liqo.kube.indexes import namespace as by_namespace
from liqo.kube.reading import Metadata
from liqo.provider.watched import tenant_of
from liqo.rules import tenancy
from liqo.rules.difference import difference
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import NOTHING, PatchStatus, Plan, do
from liqo.runtime.tenants import tenant_namespaces


@dataclass(frozen=True)
class State:
    renew: Renew
    home: Metadata | None
    tenant: Tenant | None


def controller(here: Caches) -> Controller[State]:
    def beside(tenant: Resource) -> Iterable[Key]:
        renews = here.of(Renew).by(by_namespace, tenant.metadata.namespace)
        return [renew.key for renew in renews]

    def inside(home: Resource) -> Iterable[Key]:
        return [renew.key for renew in here.of(Renew).by(by_namespace, home.metadata.name)]

    return Controller(
        name="provider/renewal",
        watches={
            here.of(Renew): itself,
            here.of(Tenant): beside,
            tenant_namespaces(here): inside,
        },
        observe=partial(observe, here),
        plan=plan,
    )


def observe(here: Caches, key: Key) -> State | None:
    renew = here.of(Renew).get(key)
    if renew is None or not tenancy.is_copy(renew):
        return None
    home = tenant_namespaces(here).get(Key("", key.namespace))
    return State(renew, home, tenant_of(here, renew))


def plan(state: State) -> Plan:
    """
    asks for       | Tenant                     | what is done
    ---------------+----------------------------+------------------------------------------
    a slice's      | any                        | nothing: the slice itself carries it
    control plane  | none, or not of its own    | nothing
    control plane  | being deleted              | nothing: no more of them
    control plane  | without certificate yet    | nothing
    control plane  | with certificate           | say which it is; the same is no news

    Nothing is ever signed here: what a Renew carries beside its question does not count.
    """
    renew = state.renew
    if renew.spec.identity_type != "ControlPlane" or state.tenant is None:
        return NOTHING
    if not tenancy.is_tenant_namespace(state.home, renew.spec.consumer_cluster_id):
        return NOTHING
    params = state.tenant.status.auth_params
    if state.tenant.metadata.deletion_timestamp is not None:
        return NOTHING
    if params is None or not params.signed_crt:
        return NOTHING
    wanted = {"authParams": msgspec.to_builtins(params)}
    change = difference(msgspec.to_builtins(renew.status), wanted)
    return do(PatchStatus(renew, change)) if change else NOTHING
