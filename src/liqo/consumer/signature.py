"""Signature: our proof to a provider that the key pair of this cluster is ours.

Runs on   consumer
Watches   Secret (signed-nonce), Secret (our key pair), Namespace (tenant), Identity
Writes    Secret (signedNonce, its owner)
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from msgspec import to_builtins

from liqo.api import labels
from liqo.api.authentication import Identity
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key, Resource
from liqo.consumer.home import Home, KeyPair, key_pair, keys, namespaces_of
from liqo.kube.cache import Caches
from liqo.rules import handshake, names
from liqo.rules.ownership import owned_by
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import NOTHING, Action, Apply, Manifest, Patch, Plan, Record, do
from liqo.runtime.tenants import secrets, tenant_namespaces


@dataclass(frozen=True)
class State:
    challenge: Secret
    keys: KeyPair
    namespaces: tuple[str, ...]  # the tenant namespaces of the peer that it names
    identity: Identity | None = None  # what came of the handshake


def controller(here: Caches, home: Home) -> Controller[State]:
    everything = partial(_everything, here)
    return Controller(
        name="consumer/signature",
        watches={
            secrets(here): itself,
            keys(here, home): everything,
            tenant_namespaces(here): everything,
            here.of(Identity): everything,
        },
        observe=partial(observe, here, home),
        plan=plan,
    )


def observe(here: Caches, home: Home, key: Key) -> State | None:
    challenge = secrets(here).get(key)
    pair = key_pair(here, home)
    if challenge is None or not is_challenge(challenge) or pair is None:
        return None
    peer = challenge.metadata.labels.get(labels.REMOTE_CLUSTER_ID, "")
    named = Key(key.namespace, names.controlplane_identity(peer))
    return State(challenge, pair, tuple(namespaces_of(here, peer)), here.of(Identity).get(named))


def plan(state: State) -> Plan:
    """
    label      | tenant namespace | nonce  | signature | what is done
    -----------+------------------+--------+-----------+-------------------------------
    none       | any              | any    | any       | say that it is missing
    set        | none             | any    | any       | say so; it may still come
    set        | another          | any    | any       | say so
    set        | this one         | none   | any       | nothing: there is no question yet
    set        | this one         | other  | any       | say that it is no nonce
    set        | this one         | there  | is ours   | it is to end with its Identity
    set        | this one         | there  | is not    | sign
    """
    challenge = state.challenge
    wrong = _refusal(state)
    if wrong is not None:
        return do(wrong)
    content = challenge.data
    nonce, signature = (b64decode(content.get(name, "")) for name in ("nonce", "signedNonce"))
    if not nonce:
        return NOTHING
    if not handshake.is_nonce(nonce):
        why = "this is no nonce of a provider: 64 bytes as base64, and nothing else is signed"
        return do(Record(challenge, "NotANonce", why, "Warning"))
    if handshake.verify(state.keys.public, nonce, signature):
        return do(*_owned(state))
    signed = Apply(_signed(challenge, handshake.sign(state.keys.private, nonce)))
    return do(signed, Record(challenge, "NonceSigned", "Nonce signed"))


def is_challenge(secret: Secret) -> bool:
    return labels.SIGNED_NONCE in secret.metadata.labels


def _everything(here: Caches, _: Resource) -> Iterable[Key]:
    return [secret.key for secret in secrets(here) if is_challenge(secret)]


def _refusal(state: State) -> Record | None:
    challenge = state.challenge
    peer = challenge.metadata.labels.get(labels.REMOTE_CLUSTER_ID, "")
    if not peer:
        why = f"the label {labels.REMOTE_CLUSTER_ID} is missing"
        return Record(challenge, "MissingRemoteClusterID", why, "Warning")
    if not state.namespaces:
        why = f"cluster {peer} has no tenant namespace"
        return Record(challenge, "TenantNamespaceNotFound", why, "Warning")
    if state.namespaces != (challenge.metadata.namespace,):
        right = " and ".join(state.namespaces)
        why = f"a challenge of cluster {peer} belongs into its tenant namespace, {right}"
        return Record(challenge, "WrongNamespace", why, "Warning")
    return None


def _owned(state: State) -> Iterator[Action]:
    """S2: a nonce is good for one Tenant; what is left of it is in the way of the next one."""
    identity, metadata = state.identity, state.challenge.metadata
    if identity is None or identity.metadata.deletion_timestamp:
        return
    wanted = owned_by(identity)
    if wanted not in metadata.owner_references:
        others = [each for each in metadata.owner_references if each.kind != wanted.kind]
        owners = to_builtins([*others, wanted])
        change = {"metadata": {"ownerReferences": owners}}
        yield Patch(state.challenge, change, only_if_unchanged=True)


def _signed(challenge: Secret, signature: bytes) -> Manifest:
    metadata = challenge.metadata
    name = {"name": metadata.name, "namespace": metadata.namespace, "uid": metadata.uid}
    signed = {"signedNonce": b64encode(signature).decode()}
    return Manifest(Secret.KIND, {"metadata": name, "data": signed})
