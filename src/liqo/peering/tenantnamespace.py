"""Tenant namespaces: there, and nowhere else, our own programs may read Secrets.

Runs on   consumer, provider
Watches   Namespace (tenant), RoleBinding (of peers), Secret (of peers)
Writes    RoleBinding liqo-controller-manager and liqo-webhook
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from liqo.api import labels
from liqo.api.kubernetes import ClusterRole, RoleBinding, Secret
from liqo.api.meta import JSON, Key, Resource
from liqo.kube.cache import Caches
from liqo.kube.indexes import namespace
from liqo.kube.reading import Metadata
from liqo.rules import names
from liqo.runtime.bindings import bound
from liqo.runtime.controller import Controller, itself
from liqo.runtime.finalizers import with_finalizer, without_finalizer
from liqo.runtime.plan import Action, Manifest, Plan, do
from liqo.runtime.tenants import OF_PEERS, secrets, tenant_namespaces

FINALIZER = labels.TENANT_BINDING_FINALIZER

# Who is given which role; the binding is named after the one to whom it is given.
ROLES = {
    names.CONTROLLER_MANAGER: names.CONTROLLER_MANAGER_TENANT_ROLE,
    names.WEBHOOK: names.WEBHOOK_TENANT_ROLE,
}


@dataclass(frozen=True)
class State:
    home: Metadata
    installation: str  # its namespace
    controllers: RoleBinding | None
    webhook: RoleBinding | None
    needed: bool  # to let go of a Secret that waits for us


def controller(here: Caches, installation: str) -> Controller[State]:
    return Controller(
        name="peering/tenantnamespace",
        watches={
            tenant_namespaces(here): itself,
            here.of(RoleBinding, OF_PEERS): _around,
            secrets(here): _around,
        },
        observe=partial(observe, here, installation),
        plan=plan,
    )


def observe(here: Caches, installation: str, key: Key) -> State | None:
    home = tenant_namespaces(here).get(key)
    if home is None:
        return None
    bindings = here.of(RoleBinding, OF_PEERS)
    return State(
        home,
        installation,
        bindings.get(Key(key.name, names.CONTROLLER_MANAGER)),
        bindings.get(Key(key.name, names.WEBHOOK)),
        any(map(waits_for_us, secrets(here).by(namespace, key.name))),
    )


def plan(state: State) -> Plan:
    """
    namespace     | a Secret waits for us | what is done
    --------------+-----------------------+--------------------------------------------
    live          | any                   | both bindings
    live          | yes                   | our finalizer on that of the controllers
    being deleted | yes                   | nothing: Kubernetes deletes bindings before
                  |                       | Secrets, and ours must outlast them
    any           | no                    | no finalizer
    """
    return do(*_bindings(state), *_kept(state))


def waits_for_us(secret: Secret) -> bool:
    return labels.REPLICATOR_FINALIZER in secret.metadata.finalizers


def _bindings(state: State) -> Iterator[Action]:
    if not state.home.metadata.deletion_timestamp:
        yield from bound(forge(state, names.CONTROLLER_MANAGER), state.controllers)
        yield from bound(forge(state, names.WEBHOOK), state.webhook)


def _kept(state: State) -> Iterator[Action]:
    binding = state.controllers
    if binding is None:
        return
    if not state.needed:
        yield from without_finalizer(binding, FINALIZER)
    elif not binding.metadata.deletion_timestamp:
        yield from with_finalizer(binding, FINALIZER)


def forge(state: State, account: str) -> Manifest:
    home = state.home.metadata
    peer = home.labels.get(labels.REMOTE_CLUSTER_ID, "")
    metadata: JSON = {
        "name": account,
        "namespace": home.name,
        "labels": {labels.APP_MANAGED_BY: "liqo", labels.REMOTE_CLUSTER_ID: peer},
    }
    role = {
        "apiGroup": ClusterRole.KIND.group,
        "kind": ClusterRole.KIND.name,
        "name": ROLES[account],
    }
    subject = {"kind": "ServiceAccount", "name": account, "namespace": state.installation}
    return Manifest(
        RoleBinding.KIND, {"metadata": metadata, "roleRef": role, "subjects": [subject]}
    )


def _around(thing: Resource) -> Iterable[Key]:
    return (Key("", thing.metadata.namespace),)
