"""Orphan: a consumer whose Tenant went without us has nothing here any more.

Our finalizer on a Tenant makes sure of that, unless somebody removes it. The binding for the whole
cluster is the last trace then: no owner takes it along, and only who was admitted has one.

Runs on   provider
Watches   ClusterRoleBinding (of peers), Tenant
Writes    deletes bindings, and copies of ResourceSlice, NamespaceMap and Renew; Secret (nonce)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from liqo.api import labels
from liqo.api.authentication import Renew, ResourceSlice, Tenant
from liqo.api.kubernetes import ClusterRoleBinding, RoleBinding, Secret
from liqo.api.meta import Key, Resource
from liqo.api.offloading import NamespaceMap
from liqo.kube.cache import Caches
from liqo.kube.indexes import Label
from liqo.provider import rights
from liqo.provider.tenant import copies, forgotten, removed
from liqo.provider.watched import consumer as by_consumer
from liqo.provider.watched import nonces_in, peer_of
from liqo.rules import names, tenancy
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import Delete, Plan, do
from liqo.runtime.tenants import OF_PEERS, tenant_namespaces

BY_PEER = Label(labels.REMOTE_CLUSTER_ID)


@dataclass(frozen=True)
class State:
    binding: ClusterRoleBinding
    bindings: tuple[RoleBinding, ...]  # in namespaces that were made for it
    copies: tuple[Resource, ...]  # what it asked for
    nonces: tuple[Secret, ...]


def controller(here: Caches) -> Controller[State]:
    return Controller(
        name="provider/orphan",
        watches={
            here.of(ClusterRoleBinding, OF_PEERS): itself,
            here.of(Tenant): _bindings_of_its_peer(here),
        },
        observe=partial(observe, here),
        plan=plan,
    )


def observe(here: Caches, key: Key) -> State | None:
    binding = here.of(ClusterRoleBinding, OF_PEERS).get(key)
    if binding is None or not is_given_to_a_tenant(binding):
        return None
    consumer = peer_of(binding)
    if here.of(Tenant).by(by_consumer, consumer):
        return None  # its own controller knows better
    homes = [home.metadata.name for home in tenant_namespaces(here).by(BY_PEER, consumer)]
    asked = [
        each
        for home in homes
        for kind in (ResourceSlice, NamespaceMap, Renew)
        for each in copies(here, kind, home)
    ]
    return State(
        binding,
        bindings=tuple(each for home in homes for each in rights.mapped(here, home, consumer)),
        copies=tuple(each for each in asked if not tenancy.is_withdrawal(each)),
        nonces=tuple(each for home in homes for each in nonces_in(here, home)),
    )


def plan(state: State) -> Plan:
    """The trace goes last: who is interrupted finds it again."""
    return do(
        *map(Delete, state.bindings),
        *removed(*state.copies),
        *forgotten(*state.nonces),
        Delete(state.binding),
    )


def is_given_to_a_tenant(binding: ClusterRoleBinding) -> bool:
    """By its name, which follows from the rest. Virtual kubelets of ours have others."""
    role = binding.role_ref.get("name", "")
    return binding.metadata.name == names.cluster_binding(role, peer_of(binding))


def _bindings_of_its_peer(here: Caches) -> Callable[[Resource], Iterable[Key]]:
    def bindings(tenant: Resource) -> Iterable[Key]:
        found = here.of(ClusterRoleBinding, OF_PEERS).by(BY_PEER, peer_of(tenant))
        return [each.key for each in found]

    return bindings
