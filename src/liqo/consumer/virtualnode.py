"""VirtualNode: an accepted slice that has its credentials appears as a node.

Runs on   consumer
Watches   ResourceSlice (ours), Identity (of slices), Secret (kubeconfig), VirtualNode (owned)
Writes    VirtualNode
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from liqo.api import labels
from liqo.api.authentication import Identity, ResourceSlice
from liqo.api.meta import Key, Meta, Resource
from liqo.api.offloading import OffloadingPatch, VirtualNode, VirtualNodeSpec
from liqo.api.values import LocalReference, ResourceQuota
from liqo.consumer.home import Home
from liqo.kube.cache import Caches
from liqo.rules import explanation, names
from liqo.rules.amounts import counted
from liqo.rules.ownership import owned_by
from liqo.rules.slices import explained, largest_pod
from liqo.runtime.controller import Controller, itself, owner
from liqo.runtime.plan import NOTHING, Apply, Plan, Record, do
from liqo.runtime.tenants import secrets


@dataclass(frozen=True)
class State:
    granted: ResourceSlice
    kubeconfig: str  # the name of its Secret; empty while there is none
    node: VirtualNode | None
    home: Home


def controller(here: Caches, home: Home) -> Controller[State]:
    return Controller(
        name="consumer/virtualnode",
        watches={
            here.of(ResourceSlice): itself,
            here.of(VirtualNode): owner,
            here.of(Identity): owner,
            secrets(here): partial(_slices_of_secret, here),
        },
        observe=partial(observe, here, home),
        plan=plan,
    )


def observe(here: Caches, home: Home, key: Key) -> State | None:
    granted = here.of(ResourceSlice).get(key)
    if granted is None or granted.received:
        return None  # gone, and its VirtualNode with it by ownership; or a consumer's request to us
    return State(granted, _kubeconfig(here, key), here.of(VirtualNode).get(key), home)


def plan(state: State) -> Plan:
    """
    slice         | wished | both answers | kubeconfig | what is done
    --------------+--------+--------------+------------+------------------------------
    being deleted | any    | any          | any        | nothing
    live          | no     | any          | any        | nothing: what is there stays
    live          | yes    | not accepted | any        | nothing: what is there stays
    live          | yes    | accepted     | none yet   | nothing
    live          | yes    | accepted     | there      | the VirtualNode
    """
    granted = state.granted
    provider = granted.metadata.labels.get(labels.REMOTE_CLUSTER_ID, "")
    answered = granted.accepted("Authentication") and granted.accepted("Resources")
    wished = is_wished(granted) and not granted.metadata.deletion_timestamp
    if not (wished and answered and provider and state.kubeconfig):
        return NOTHING
    return do(Apply(forge(state, provider)), *news(state))


def news(state: State) -> Iterator[Record]:
    """Of resources that the provider has and its share rounds away: whenever it offers anew."""
    granted, node = state.granted, state.node
    if node is None:
        yield Record(granted, "VirtualNodeCreated", "VirtualNode created")
    offered = counted(granted.status.resources)
    if node is None or node.spec.resource_quota.hard != offered:
        for line in explanation.rounded_away(explained(granted)).values():
            yield Record(granted, "RoundedToZero", str(line), "Warning")


def is_wished(granted: ResourceSlice) -> bool:
    return granted.metadata.annotations.get(labels.CREATE_VIRTUAL_NODE, "").lower() not in {
        "",
        "false",
    }


def forge(state: State, provider: str) -> VirtualNode:
    """Without what others put there: the webhook's template, the labels of a user."""
    granted, status = state.granted, state.granted.status
    name = granted.metadata.name
    selector = status.node_selector
    return VirtualNode(
        metadata=Meta(
            name=name,
            namespace=granted.metadata.namespace,
            labels={
                **state.home.labels,
                labels.REMOTE_CLUSTER_ID: provider,
                labels.RESOURCE_SLICE_NAME: name,
            },
            owner_references=(owned_by(granted),),
        ),
        spec=VirtualNodeSpec(
            cluster_id=provider,
            kubeconfig_secret_ref=LocalReference(name=state.kubeconfig),
            resource_quota=ResourceQuota(hard=counted(status.resources)),
            storage_classes=status.storage_classes,
            ingress_classes=status.ingress_classes,
            load_balancer_classes=status.load_balancer_classes,
            labels={labels.REMOTE_CLUSTER_ID: provider, **status.node_labels},
            annotations=largest_pod(granted),
            offloading_patch=OffloadingPatch(node_selector=selector) if selector else None,
        ),
    )


def _kubeconfig(here: Caches, key: Key) -> str:
    identity = here.of(Identity).get(Key(key.namespace, names.slice_identity(key.name)))
    named = identity.status.kubeconfig_secret_ref if identity is not None else None
    if named is None or secrets(here).get(Key(key.namespace, named.name)) is None:
        return ""
    return named.name


def _slices_of_secret(here: Caches, secret: Resource) -> Iterable[Key]:
    """A kubeconfig belongs to an Identity, and that to a slice."""
    for key in owner(secret):
        identity = here.of(Identity).get(key)
        if identity is not None:
            yield from owner(identity)
