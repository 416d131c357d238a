"""Signature: our proof to a provider that the key pair of this cluster is ours.

Runs on   consumer
Watches   Secret (signed-nonce), Secret (our key pair), Namespace (tenant)
Writes    Secret (signedNonce)
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from liqo.api import labels
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key, Resource
from liqo.consumer.home import Home, KeyPair, key_pair, keys, namespaces_of, tenant_namespaces
from liqo.kube.cache import Cache, Caches
from liqo.kube.paths import Scope
from liqo.rules import handshake
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import NOTHING, Apply, Manifest, Plan, Record, do


@dataclass(frozen=True)
class State:
    challenge: Secret
    keys: KeyPair
    namespaces: tuple[str, ...]  # the tenant namespaces of the peer that it names


def controller(here: Caches, home: Home) -> Controller[State]:
    everything = partial(_everything, here)
    return Controller(
        name="consumer/signature",
        watches={
            challenges(here): itself,
            keys(here, home): everything,
            tenant_namespaces(here): everything,
        },
        observe=partial(observe, here, home),
        plan=plan,
    )


def observe(here: Caches, home: Home, key: Key) -> State | None:
    challenge = challenges(here).get(key)
    pair = key_pair(here, home)
    if challenge is None or pair is None:
        return None
    peer = challenge.metadata.labels.get(labels.REMOTE_CLUSTER_ID, "")
    return State(challenge, pair, tuple(namespaces_of(here, peer)))


def plan(state: State) -> Plan:
    """
    label      | tenant namespace | nonce  | signature | what is done
    -----------+------------------+--------+-----------+-------------------------------
    none       | any              | any    | any       | say that it is missing
    set        | none             | any    | any       | say so; it may still come
    set        | another          | any    | any       | say so
    set        | this one         | none   | any       | nothing: there is no question yet
    set        | this one         | there  | is ours   | nothing
    set        | this one         | there  | is not    | sign
    """
    challenge = state.challenge
    wrong = _refusal(state)
    if wrong is not None:
        return do(wrong)
    content = challenge.data
    nonce, signature = (b64decode(content.get(name, "")) for name in ("nonce", "signedNonce"))
    if not nonce or handshake.verify(state.keys.public, nonce, signature):
        return NOTHING
    signed = Apply(_signed(challenge, handshake.sign(state.keys.private, nonce)))
    return do(signed, Record(challenge, "NonceSigned", "Nonce signed"))


def challenges(here: Caches) -> Cache[Secret]:
    return here.of(Secret, Scope(labels=labels.SIGNED_NONCE))


def _everything(here: Caches, _: Resource) -> Iterable[Key]:
    return [challenge.key for challenge in challenges(here)]


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


def _signed(challenge: Secret, signature: bytes) -> Manifest:
    metadata = challenge.metadata
    name = {"name": metadata.name, "namespace": metadata.namespace, "uid": metadata.uid}
    signed = {"signedNonce": b64encode(signature).decode()}
    return Manifest(Secret.KIND, {"metadata": name, "data": signed})
