"""ForeignCluster: how things stand with another cluster, for people to read.

Runs on   consumer, provider
Watches   Tenant, Identity, Secret (kubeconfig), VirtualNode, Node (virtual), Pod (kubelet),
          Configuration, Connection, GatewayServer, GatewayClient, Deployment (gateway),
          Namespace (tenant), ForeignCluster
Writes    ForeignCluster
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TypeAlias

from msgspec.structs import replace

from liqo.api import labels
from liqo.api.core import ForeignCluster, ForeignClusterSpec, ForeignClusterStatus
from liqo.api.meta import Key, Meta
from liqo.kube.cache import Caches
from liqo.peering.foreigncluster.forge import addresses, forge
from liqo.peering.foreigncluster.peer import Peer, gather, oldest, watches
from liqo.runtime.clock import Clock
from liqo.runtime.controller import Controller
from liqo.runtime.finalizers import with_finalizer, without_finalizer
from liqo.runtime.plan import NOTHING, Action, Apply, Delete, Patch, Plan, Record, do, identity

FINALIZER = labels.API_SERVER_CHECKER_FINALIZER
LOOK_AGAIN = 5.0  # seconds between two looks at whether the peer's API server answers
UNKNOWN = ForeignClusterStatus(role="Unknown")

Alive: TypeAlias = Callable[[str], bool | None]
"""Whether the API server of that cluster answered lately; None: nobody knows."""


@dataclass(frozen=True)
class Surroundings:
    """What is known beside the caches."""

    alive: Alive
    clock: Clock
    networking: bool = True  # is the module installed?


@dataclass(frozen=True)
class State:
    peer: Peer
    summary: ForeignCluster | None
    alive: bool | None
    now: datetime


def controller(here: Caches, around: Surroundings) -> Controller[State]:
    return Controller(
        name="peering/foreigncluster",
        watches=watches(here, networking=around.networking),
        observe=partial(observe, here, around),
        plan=plan,
    )


def observe(here: Caches, around: Surroundings, key: Key) -> State:
    peer = gather(here, key.name, networking=around.networking)
    return State(peer, oldest(here, key.name), around.alive(key.name), around.clock())


def plan(state: State) -> Plan:
    """
    ForeignCluster | of the peer there is | what is done
    ---------------+----------------------+--------------------------------------------
    none           | nothing              | nothing
    none           | something            | make one; its own change brings us back
    being deleted  | any                  | let go
    there          | not even a namespace | delete it
    there          | a namespace at most  | the status; if it was declared dead, that is over
    there          | any                  | the status, whole; our finalizer while its
                   |                      | API server is being asked for signs of life
    there          | several namespaces   | say so, besides
    """
    summary, peer = state.summary, state.peer
    if summary is None:
        return do(Apply(new(peer.cluster_id))) if peer.is_there else NOTHING
    if summary.metadata.deletion_timestamp:
        return do(*without_finalizer(summary, FINALIZER))
    if not peer.is_there and not peer.namespaces:
        return do(Delete(summary))
    checked = any(addresses(peer))
    kept = (*_revived(summary, peer), *_kept(summary, state, checked), *_several(summary, peer))
    return do(*kept, wake_after=LOOK_AGAIN if checked else None)


def new(cluster_id: str) -> ForeignCluster:
    return ForeignCluster(
        metadata=Meta(name=cluster_id, labels={labels.REMOTE_CLUSTER_ID: cluster_id}),
        spec=ForeignClusterSpec(cluster_id=cluster_id),
    )


def _revived(summary: ForeignCluster, peer: Peer) -> Iterator[Action]:
    """The next peering with it must not be taken for one with the dead."""
    mark = labels.PERMANENTLY_UNREACHABLE
    if not peer.is_there and mark in summary.metadata.annotations:
        yield Patch(summary, {"metadata": {"annotations": {mark: None}}})


def _several(summary: ForeignCluster, peer: Peer) -> Iterator[Action]:
    """R17: clients find the namespace by its labels, and do not choose between two."""
    if len(peer.namespaces) > 1:
        found = ", ".join(peer.namespaces)
        why = (
            f"several namespaces are labelled as the tenant namespace of {peer.cluster_id}: "
            f"{found}; take the label {labels.TENANT_NAMESPACE} from all but one"
        )
        yield Record(summary, "SeveralTenantNamespaces", why, "Warning")


def _kept(summary: ForeignCluster, state: State, checked: bool) -> Iterator[Action]:
    change = with_finalizer if checked else without_finalizer
    yield from change(summary, FINALIZER)
    status = forge(state.peer, state.alive, summary.status or UNKNOWN, state.now)
    seen = replace(status, observed_generation=summary.metadata.generation)
    yield Apply(
        ForeignCluster(metadata=identity(summary), spec=summary.spec, status=seen),
        subresource="status",
    )
