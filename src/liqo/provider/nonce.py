"""Nonce: what a consumer must sign to show that it has the key it speaks of.

Runs on   provider
Watches   Secret (labelled as nonce), Namespace (of tenants)
Writes    the key `nonce` of that Secret, where it is missing
"""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from liqo.api import labels
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key, Resource
from liqo.kube.cache import Caches
from liqo.kube.reading import Metadata
from liqo.provider.watched import nonces_in
from liqo.rules import handshake, tenancy
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import NOTHING, Patch, Plan, Record, do
from liqo.runtime.tenants import secrets, tenant_namespaces

Randomness: TypeAlias = Callable[[int], bytes]


@dataclass(frozen=True)
class State:
    secret: Secret
    home: Metadata | None
    fresh: bytes  # a nonce that nobody has seen yet


def controller(here: Caches, randomness: Randomness = os.urandom) -> Controller[State]:
    def inside(home: Resource) -> Iterable[Key]:
        return [secret.key for secret in nonces_in(here, home.metadata.name)]

    return Controller(
        name="provider/nonce",
        watches={secrets(here): itself, tenant_namespaces(here): inside},
        observe=partial(observe, here, randomness),
        plan=plan,
    )


def observe(here: Caches, randomness: Randomness, key: Key) -> State | None:
    secret = secrets(here).get(key)
    if secret is None or labels.NONCE not in secret.metadata.labels:
        return None
    if secret.metadata.deletion_timestamp is not None:
        return None
    home = tenant_namespaces(here).get(Key("", key.namespace))
    return State(secret, home, handshake.nonce(randomness(handshake.NONCE_BYTES)))


def plan(state: State) -> Plan:
    """
    nonce    | consumer  | namespace    | what is done
    ---------+-----------+--------------+----------------------------------------
    there    | any       | any          | nothing: it stays until its Tenant goes
    missing  | not named | any          | say that the label is missing
    missing  | named     | not its own  | say so
    missing  | named     | its own      | fill in a fresh one
    """
    secret = state.secret
    consumer = secret.metadata.labels.get(labels.REMOTE_CLUSTER_ID, "")
    if secret.data.get("nonce"):
        return NOTHING
    if not consumer:
        missing = f"the label {labels.REMOTE_CLUSTER_ID} does not say whose nonce this is"
        return do(Record(secret, "MissingClusterID", missing, "Warning"))
    if state.home is None:
        lost = f"{secret.metadata.namespace} is not labelled as a tenant namespace"
        return do(Record(secret, "TenantNamespaceNotFound", lost, "Warning"))
    if not tenancy.is_tenant_namespace(state.home, consumer):
        wrong = f"{secret.metadata.namespace} is not the tenant namespace of {consumer}"
        return do(Record(secret, "WrongNamespace", wrong, "Warning"))
    filled = {"data": {"nonce": b64encode(state.fresh).decode()}}
    return do(
        Patch(secret, filled, only_if_unchanged=True),
        Record(secret, "NonceGenerated", "Nonce generated"),
    )
