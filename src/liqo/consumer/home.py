"""Who we are: our cluster's ID, its key pair, and what stands on most objects that we make."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field

from liqo.api import labels
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key
from liqo.kube.cache import Cache, Caches
from liqo.kube.indexes import Label
from liqo.kube.paths import Scope
from liqo.rules import names
from liqo.runtime.tenants import tenant_namespaces


@dataclass(frozen=True)
class Home:
    cluster_id: str
    namespace: str = "liqo"  # of the installation
    labels: Mapping[str, str] = field(default_factory=lambda: {labels.MANAGED: "true"})


@dataclass(frozen=True)
class KeyPair:
    private: bytes
    public: bytes


def keys(here: Caches, home: Home) -> Cache[Secret]:
    """The one Secret that holds our key pair; no other is read."""
    chosen = f"metadata.name={names.AUTHENTICATION_KEYS}"
    return here.of(Secret, Scope(namespace=home.namespace, fields=chosen))


def key_pair(here: Caches, home: Home) -> KeyPair | None:
    secret = keys(here, home).get(Key(home.namespace, names.AUTHENTICATION_KEYS))
    content = secret.data if secret is not None else {}
    if not content.get("privateKey") or not content.get("publicKey"):
        return None
    return KeyPair(b64decode(content["privateKey"]), b64decode(content["publicKey"]))


def namespaces_of(here: Caches, cluster_id: str) -> list[str]:
    """The tenant namespaces of that peer: one, unless something is wrong."""
    found = tenant_namespaces(here).by(Label(labels.REMOTE_CLUSTER_ID), cluster_id)
    return [namespace.metadata.name for namespace in found]
