"""Keys: the pair with which this cluster proves to its peers who it is.

Runs on   both sides
Watches   Namespace (of the installation), Secret (that of the keys)
Writes    Secret authentication-keys, once
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from functools import partial

from liqo.api.kubernetes import Namespace, Secret
from liqo.api.meta import Key, Resource
from liqo.kube.cache import Caches
from liqo.kube.paths import Scope
from liqo.rules import keys, names
from liqo.runtime.controller import Controller
from liqo.runtime.plan import Create, Manifest, Plan, do


@dataclass(frozen=True)
class State:
    """There is no pair yet: this is a new one."""

    namespace: str
    private_pem: bytes
    public_pem: bytes


def controller(here: Caches, namespace: str, *, tls_compatible: bool) -> Controller[State]:
    """In the namespace of the installation. RSA where TLS must be compatible."""

    def pair(_: Resource) -> tuple[Key, ...]:
        return (Key(namespace, names.AUTHENTICATION_KEYS),)

    return Controller(
        name="peering/keys",
        watches={
            here.of(Namespace, Scope(fields=f"metadata.name={namespace}")): pair,
            here.of(Secret, scope(namespace)): pair,
        },
        observe=partial(observe, here, tls_compatible),
        plan=plan,
    )


def scope(namespace: str) -> Scope:
    """The one Secret of that namespace that matters here."""
    return Scope(namespace=namespace, fields=f"metadata.name={names.AUTHENTICATION_KEYS}")


def observe(here: Caches, tls_compatible: bool, key: Key) -> State | None:
    if here.of(Secret, scope(key.namespace)).get(key) is not None:
        return None  # never replaced: every credential of this cluster hangs on it
    if (
        here.of(Namespace, Scope(fields=f"metadata.name={key.namespace}")).get(
            Key("", key.namespace)
        )
        is None
    ):
        return None  # not installed yet, or uninstalled
    pair = keys.new_key(tls_compatible=tls_compatible)
    return State(key.namespace, keys.private_pem(pair), keys.public_pem(pair.public_key()))


def plan(state: State) -> Plan:
    return do(Create(forge(state)))


def forge(state: State) -> Manifest:
    return Manifest(
        Secret.KIND,
        {
            "metadata": {"name": names.AUTHENTICATION_KEYS, "namespace": state.namespace},
            "type": "Opaque",
            "data": {
                "privateKey": b64encode(state.private_pem).decode(),
                "publicKey": b64encode(state.public_pem).decode(),
            },
        },
    )
