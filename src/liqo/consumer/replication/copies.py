"""Copies: what we ask of a provider, kept there as we have it here; its answers, here as there.

Runs on   consumer, once for each provider
Watches   ResourceSlice, Renew, NamespaceMap (ours, and their copies there), ForeignCluster
Writes    the copies; here the status, a finalizer, and Events about what a provider refuses
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from msgspec import to_builtins

from liqo.api import labels
from liqo.api.authentication import ResourceSlice
from liqo.api.core import ForeignCluster
from liqo.api.meta import Key, Meta, Resource
from liqo.consumer.replication.route import Link, R, Replicated, Route, link, locals_of
from liqo.kube.cache import Caches
from liqo.kube.errors import KubeError, Refused
from liqo.rules.difference import difference
from liqo.runtime.controller import Controller
from liqo.runtime.failures import OF_ALL
from liqo.runtime.finalizers import with_finalizer, without_finalizer
from liqo.runtime.plan import NOTHING, Action, Create, Delete, Patch, PatchStatus, Plan, Record, do

FINALIZER = labels.REPLICATED_RESOURCE_FINALIZER
REFUSED = "ReplicationRefused"  # the reason of an Event


@dataclass(frozen=True)
class State:
    local: Replicated | None
    copy: Replicated | None
    route: Route
    link: Link


def controller(model: type[R], route: Route, here: Caches, there: Caches) -> Controller[State]:
    return Controller(
        name="consumer/replication/copies",
        watches={
            here.of(model): partial(_of_local, route),
            there.of(model, route.copies): partial(_of_copy, route),
            here.of(ForeignCluster): partial(_of_cluster, model, route, here),
        },
        observe=partial(observe, model, route, here, there),
        plan=plan,
        failed=failed,
    )


def observe(model: type[R], route: Route, here: Caches, there: Caches, key: Key) -> State | None:
    copies = there.of(model, route.copies)
    copy = copies.get(Key(route.remote_namespace, key.name))
    return State(here.of(model).get(key), copy, route, link(here, route, [copies]))


def plan(state: State) -> Plan:
    """
    local           | link            | copy  | what is done
    ----------------+-----------------+-------+--------------------------------------------
    for another     | any             | any   | nothing
    live, to fill   | any             | any   | nothing: an incomplete request stays home
    live            | unknown, dead   | any   | nothing
    live            | open, withdrawn | none  | our finalizer; with it, the copy
    live            | open, withdrawn | there | status back, then spec out, where they differ
    live            | open, withdrawn | going | nothing: when it is gone, there is a new one
    ended           | open            | there | delete the copy
    ended           | open            | none  | let go: remove our finalizer
    ended           | unknown         | any   | nothing: what we do not see may be there
    ended           | withdrawn, dead | any   | let go; the copy is no longer in our hands

    Ended is what is gone, being deleted, or no longer marked for replication.
    """
    local = state.local
    if local is not None and not state.route.leads(local):
        return NOTHING
    if local is None or not is_live(local):
        return do(*_withdraw(state))
    if not is_complete(local) or state.link in ("unknown", "dead"):
        return NOTHING
    return do(*_offer(local, state))


def failed(state: State, error: KubeError) -> Plan:
    """What is told of a request that its provider refuses; not of what will pass by itself.

    An error begins with the name of the cluster that it comes from.
    """
    local, provider = state.local, state.route.provider_id
    cluster, _, words = str(error).partition(": ")
    if not isinstance(error, Refused) or isinstance(error, OF_ALL) or cluster != provider:
        return NOTHING
    if local is None or not is_live(local):
        return NOTHING  # nobody asks for it any more
    message = f'The provider "{provider}" refuses what is asked of it: {words}'
    return do(Record(local, REFUSED, message, "Warning"))


def is_live(local: Replicated) -> bool:
    marks = local.metadata.labels
    is_ours = marks.get(labels.REPLICATION) == "true" and marks.get(labels.REPLICATED) != "true"
    return is_ours and not local.metadata.deletion_timestamp


def is_complete(local: Replicated) -> bool:
    """A slice whose signing request is missing for a moment would be denied for it."""
    return not isinstance(local, ResourceSlice) or bool(local.spec.csr)


def forge(local: Replicated, route: Route) -> Replicated:
    """Labels and annotations travel once: later ones belong to the provider."""
    marks = {
        **local.metadata.labels,
        labels.REPLICATION: "false",
        labels.REPLICATED: "true",
        labels.ORIGIN_ID: route.consumer_id,
        labels.REMOTE_CLUSTER_ID: route.consumer_id,
    }
    marks.pop(labels.OWNERSHIP, None)
    metadata = Meta(
        name=local.metadata.name,
        namespace=route.remote_namespace,
        labels=marks,
        annotations=local.metadata.annotations,
    )
    make: Callable[..., Replicated] = type(local)
    return make(metadata=metadata, spec=local.spec)


def _offer(local: Replicated, state: State) -> Iterator[Action]:
    copy = state.copy
    if FINALIZER not in local.metadata.finalizers:
        yield from with_finalizer(local, FINALIZER)  # and when that is so, the rest
    elif copy is None:
        yield Create(forge(local, state.route), on="remote")
    elif not copy.metadata.deletion_timestamp:
        yield from _in_step(local, copy)


def _withdraw(state: State) -> Iterator[Action]:
    if state.link == "unknown":
        return
    if state.link == "open" and state.copy is not None:
        yield Delete(state.copy, on="remote")
    elif state.local is not None:
        yield from without_finalizer(state.local, FINALIZER)


def _in_step(local: Replicated, copy: Replicated) -> Iterator[Action]:
    """The answer first: a renewed certificate comes back also where a new spec is refused."""
    if status := difference(to_builtins(local.status), to_builtins(copy.status)):
        yield PatchStatus(local, status)
    if spec := difference(to_builtins(copy.spec), to_builtins(local.spec)):
        yield Patch(copy, {"spec": spec}, on="remote")


def _of_local(route: Route, local: Resource) -> Iterable[Key]:
    return (local.key,) if local.metadata.namespace == route.local_namespace else ()


def _of_copy(route: Route, copy: Resource) -> Iterable[Key]:
    return (Key(route.local_namespace, copy.metadata.name),)


def _of_cluster(model: type[R], route: Route, here: Caches, cluster: Resource) -> Iterable[Key]:
    """That it is dead, or alive again, concerns everything that goes there."""
    if cluster.metadata.labels.get(labels.REMOTE_CLUSTER_ID) != route.provider_id:
        return ()
    return [local.key for local in locals_of(here, model, route)]
