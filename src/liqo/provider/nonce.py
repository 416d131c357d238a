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
from liqo.api.kubernetes import Namespace, Secret
from liqo.api.meta import Key, Resource
from liqo.kube.cache import Caches
from liqo.kube.indexes import namespace as by_namespace
from liqo.provider.watched import NONCES, TENANT_NAMESPACES
from liqo.rules import handshake, tenancy
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import NOTHING, Patch, Plan, Record, do

Randomness: TypeAlias = Callable[[int], bytes]


@dataclass(frozen=True)
class State:
    secret: Secret
    home: Namespace | None
    fresh: bytes  # a nonce that nobody has seen yet


def controller(here: Caches, randomness: Randomness = os.urandom) -> Controller[State]:
    def inside(home: Resource) -> Iterable[Key]:
        found = here.of(Secret, NONCES).by(by_namespace, home.metadata.name)
        return [secret.key for secret in found]

    return Controller(
        name="provider/nonce",
        watches={here.of(Secret, NONCES): itself, here.of(Namespace, TENANT_NAMESPACES): inside},
        observe=partial(observe, here, randomness),
        plan=plan,
    )


def observe(here: Caches, randomness: Randomness, key: Key) -> State | None:
    secret = here.of(Secret, NONCES).get(key)
    if secret is None or secret.metadata.deletion_timestamp is not None:
        return None
    home = here.of(Namespace, TENANT_NAMESPACES).get(Key("", key.namespace))
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
