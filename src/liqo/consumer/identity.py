"""Identity: what a provider answered becomes a kubeconfig that others can use.

Runs on   consumer
Watches   Identity, Secret (owned), Secret (our key pair), VirtualNode
Writes    Secret, Identity status

A slice that is deleted takes its Identity along at once. Its virtual node needs the kubeconfig for
as long as its pods take to leave: the Secret is that one's, too.
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
from liqo.api.offloading import VirtualNode
from liqo.api.values import LocalReference
from liqo.consumer.home import Home, key_pair, keys
from liqo.kube.cache import Caches
from liqo.kube.indexes import namespace
from liqo.rules import names
from liqo.rules.kubeconfig import Login, kubeconfig
from liqo.rules.ownership import owned_by, used_by
from liqo.runtime.controller import Controller, itself, owner
from liqo.runtime.plan import NOTHING, Apply, Manifest, Plan, do, identity
from liqo.runtime.tenants import secrets


@dataclass(frozen=True)
class State:
    identity: Identity
    home: Home
    key: bytes  # the private one of this cluster
    nodes: tuple[VirtualNode, ...] = ()  # whose kubelets use the Secret


def controller(here: Caches, home: Home) -> Controller[State]:
    return Controller(
        name="consumer/identity",
        watches={
            here.of(Identity): itself,
            secrets(here): owner,
            keys(here, home): partial(_everything, here),
            here.of(VirtualNode): partial(_used, here),
        },
        observe=partial(observe, here, home),
        plan=plan,
    )


def observe(here: Caches, home: Home, key: Key) -> State | None:
    answered = here.of(Identity).get(key)
    pair = key_pair(here, home)
    if answered is None or pair is None:
        return None
    beside = here.of(VirtualNode).by(namespace, key.namespace)
    nodes = sorted((node for node in beside if _is_used(answered, node)), key=lambda it: it.key)
    return State(answered, home, pair.private, tuple(nodes))


def plan(state: State) -> Plan:
    """
    Identity      | certificate | what is done
    --------------+-------------+------------------------------------------
    being deleted | any         | nothing: its Secret goes with it, once
                  |             | no virtual node uses it any more
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
        "ownerReferences": to_builtins([owned_by(answered), *map(used_by, state.nodes)]),
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


def _used(here: Caches, node: VirtualNode) -> Iterable[Key]:
    beside = here.of(Identity).by(namespace, node.metadata.namespace)
    return [answered.key for answered in beside if _is_used(answered, node)]


def _is_used(answered: Identity, node: VirtualNode) -> bool:
    named = node.spec.kubeconfig_secret_ref
    return named is not None and named.name == names.kubeconfig_secret(answered.metadata.name)
