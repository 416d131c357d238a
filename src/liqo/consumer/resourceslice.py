"""ResourceSlice: says who asks and with which key; once accepted, it has an Identity of its own.

Runs on   consumer
Watches   ResourceSlice (ours), Identity (owned), Secret (our key pair), Namespace (tenant)
Writes    ResourceSlice spec, where it is empty; Identity
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from liqo.api import labels
from liqo.api.authentication import Identity, IdentitySpec, ResourceSlice
from liqo.api.meta import JSON, Key, Meta, Resource
from liqo.consumer.home import Home, key_pair, keys
from liqo.kube.cache import Caches
from liqo.rules import certificates, names
from liqo.rules.ownership import owned_by
from liqo.runtime.controller import Controller, itself, owner
from liqo.runtime.plan import NOTHING, Action, Apply, Delete, Patch, Plan, Record, do
from liqo.runtime.tenants import tenant_namespaces


@dataclass(frozen=True)
class State:
    asked: ResourceSlice
    identity: Identity | None
    home: Home
    key: bytes  # the private one of this cluster
    peer: str  # whose tenant namespace this is


def controller(here: Caches, home: Home) -> Controller[State]:
    everything = partial(_everything, here)
    return Controller(
        name="consumer/resourceslice",
        watches={
            here.of(ResourceSlice): itself,
            here.of(Identity): owner,
            keys(here, home): everything,
            tenant_namespaces(here): everything,
        },
        observe=partial(observe, here, home),
        plan=plan,
    )


def observe(here: Caches, home: Home, key: Key) -> State | None:
    asked = here.of(ResourceSlice).get(key)
    pair = key_pair(here, home)
    if asked is None or pair is None or not is_ours(asked):
        return None
    identity = here.of(Identity).get(Key(key.namespace, names.slice_identity(key.name)))
    namespace = tenant_namespaces(here).get(Key("", key.namespace))
    marks = namespace.metadata.labels if namespace is not None else {}
    return State(asked, identity, home, pair.private, marks.get(labels.REMOTE_CLUSTER_ID, ""))


def plan(state: State) -> Plan:
    """
    slice         | Authentication | signing request | what is done
    --------------+----------------+-----------------+-----------------------------------
    being deleted | any            | any             | nothing: its Identity goes with it
    live          | any            | none            | fill in what is empty, no more
    live          | none           | there           | nothing
    live          | Denied         | there           | delete the Identity
    live          | Accepted       | there           | the Identity, of what was answered
    """
    asked = state.asked
    if asked.metadata.deletion_timestamp:
        return NOTHING
    missing = fill(state)
    if missing:
        return do(Patch(asked, {"spec": missing}, only_if_unchanged=True))
    if asked.accepted("Authentication"):
        return do(*_granted(state))
    if state.identity is not None and _is_denied(asked):
        denied = Record(asked, "IdentityDeleted", "Authentication denied: Identity deleted")
        return do(Delete(state.identity), denied)
    return NOTHING


def is_ours(asked: ResourceSlice) -> bool:
    """A peer can write slices into this cluster: nothing that it copied here is our request."""
    marks = asked.metadata.labels
    is_wish = marks.get(labels.REPLICATION) == "true" and labels.REMOTE_ID in marks
    return is_wish and marks.get(labels.REPLICATED) != "true"


def fill(state: State) -> JSON:
    """What the spec lacks. What it has is never changed."""
    asked, ours = state.asked, state.home.cluster_id
    spec = asked.spec
    missing: JSON = {}
    if not spec.consumer_cluster_id:
        missing["consumerClusterID"] = ours
    if not spec.provider_cluster_id:
        provider = asked.metadata.labels.get(labels.REMOTE_CLUSTER_ID) or state.peer
        if provider:
            missing["providerClusterID"] = provider
    if not spec.csr:
        user = names.user_of(asked.metadata.name, ours)
        missing["csr"] = b64encode(certificates.request(state.key, ours, user)).decode()
    return missing


def forge(asked: ResourceSlice, home: Home) -> Identity | None:
    """None while the answer is incomplete."""
    provider, granted = asked.spec.provider_cluster_id, asked.status.auth_params
    if not provider or granted is None:
        return None
    name = asked.metadata.name
    return Identity(
        metadata=Meta(
            name=names.slice_identity(name),
            namespace=asked.metadata.namespace,
            labels={
                **home.labels,
                labels.REMOTE_CLUSTER_ID: provider,
                labels.RESOURCE_SLICE_NAME: name,
            },
            owner_references=(owned_by(asked),),
        ),
        spec=IdentitySpec(cluster_id=provider, type="ResourceSlice", auth_params=granted),
    )


def _granted(state: State) -> Iterator[Action]:
    wanted = forge(state.asked, state.home)
    if wanted is None:
        return
    yield Apply(wanted)
    if state.identity is None or state.identity.spec != wanted.spec:
        yield Record(state.asked, "IdentityEnsured", "Identity ensured")


def _is_denied(asked: ResourceSlice) -> bool:
    return any(
        condition.type == "Authentication" and condition.status == "Denied"
        for condition in asked.status.conditions
    )


def _everything(here: Caches, _: Resource) -> Iterable[Key]:
    return [asked.key for asked in here.of(ResourceSlice) if is_ours(asked)]
