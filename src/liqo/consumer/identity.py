"""Identity: what a provider answered becomes a kubeconfig that others can use.

Runs on   consumer
Watches   Identity, Secret (owned), Secret (our key pair)
Writes    Secret, Identity status
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from msgspec import to_builtins

from liqo.api import labels
from liqo.api.authentication import Identity, IdentityStatus
from liqo.api.kubernetes import Secret
from liqo.api.meta import JSON, Key, Resource
from liqo.api.values import LocalReference
from liqo.consumer.home import Home, key_pair, keys
from liqo.kube.cache import Caches
from liqo.rules import names
from liqo.rules.kubeconfig import Login, kubeconfig
from liqo.rules.ownership import owned_by
from liqo.runtime.controller import Controller, itself, owner
from liqo.runtime.plan import NOTHING, Apply, Manifest, Plan, do, identity
from liqo.runtime.tenants import secrets


@dataclass(frozen=True)
class State:
    identity: Identity
    home: Home
    key: bytes  # the private one of this cluster


def controller(here: Caches, home: Home) -> Controller[State]:
    return Controller(
        name="consumer/identity",
        watches={
            here.of(Identity): itself,
            secrets(here): owner,
            keys(here, home): partial(_everything, here),
        },
        observe=partial(observe, here, home),
        plan=plan,
    )


def observe(here: Caches, home: Home, key: Key) -> State | None:
    answered = here.of(Identity).get(key)
    pair = key_pair(here, home)
    if answered is None or pair is None:
        return None
    return State(answered, home, pair.private)


def plan(state: State) -> Plan:
    """
    Identity      | certificate | what is done
    --------------+-------------+------------------------------------------
    being deleted | any         | nothing: its Secret goes with it
    live          | none yet    | nothing
    live          | there       | the Secret, then the status that names it
    """
    answered = state.identity
    spec = answered.spec
    if answered.metadata.deletion_timestamp or not spec.auth_params.signed_crt or not spec.type:
        return NOTHING
    named = LocalReference(name=names.kubeconfig_secret(answered.metadata.name))
    status = Identity(
        metadata=identity(answered), status=IdentityStatus(kubeconfig_secret_ref=named)
    )
    return do(Apply(forge(state)), Apply(status, subresource="status"))


def forge(state: State) -> Manifest:
    answered, spec = state.identity, state.identity.spec
    metadata: JSON = {
        "name": names.kubeconfig_secret(answered.metadata.name),
        "namespace": answered.metadata.namespace,
        "labels": {
            **state.home.labels,
            labels.REMOTE_CLUSTER_ID: spec.cluster_id,
            labels.IDENTITY_TYPE: spec.type,
        },
        "ownerReferences": [to_builtins(owned_by(answered))],
    }
    if spec.type == "ControlPlane" and spec.namespace:
        metadata["annotations"] = {labels.REMOTE_TENANT_NAMESPACE: spec.namespace}
    content = b64encode(kubeconfig(login(state))).decode()
    return Manifest(
        Secret.KIND, {"metadata": metadata, "type": "Opaque", "data": {"kubeconfig": content}}
    )


def login(state: State) -> Login:
    spec = state.identity.spec
    return Login(
        cluster=spec.cluster_id,
        server=spec.auth_params.api_server,
        user=state.identity.metadata.name,
        certificate=spec.auth_params.signed_crt,
        key=state.key,
        authority=spec.auth_params.ca,
        proxy=spec.auth_params.proxy_url,
        namespace=spec.namespace if spec.type == "ControlPlane" else "",
    )


def _everything(here: Caches, _: Resource) -> Iterable[Key]:
    return [answered.key for answered in here.of(Identity)]
