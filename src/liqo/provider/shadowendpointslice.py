"""ShadowEndpointSlice: endpoints of a consumer's Service, as the pods that run here see them.

While their consumer cannot be reached they are shown as not ready, so that nobody is sent there.

Runs on   provider
Watches   ShadowEndpointSlice, EndpointSlice (made of one), ForeignCluster
Writes    EndpointSlice
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import msgspec

from liqo.api import labels
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import EndpointSlice
from liqo.api.meta import JSON, Key, Meta
from liqo.api.offloading import ShadowEndpointSlice
from liqo.kube.cache import Caches
from liqo.kube.errors import KubeError, Refused
from liqo.kube.indexes import Label
from liqo.kube.paths import Scope
from liqo.rules.addresses import of_consumer
from liqo.rules.ownership import owned_by
from liqo.rules.reachability import carries
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import NOTHING, Apply, Create, Delete, Manifest, Plan, Record, do

MADE = "shadowendpointslice"
OURS = Scope(labels=f"{labels.MANAGED_BY}={MADE}")
NOT_COPIED = frozenset({labels.DIRECT_CONNECTIONS_DATA})
FAILED = "FailedCreateEndpointSlice"


@dataclass(frozen=True)
class State:
    shadow: ShadowEndpointSlice
    consumer: ForeignCluster | None
    slice: EndpointSlice | None = None


def controller(here: Caches) -> Controller[State]:
    return Controller(
        name="provider/shadowendpointslice",
        watches={
            here.of(ShadowEndpointSlice): itself,
            here.of(EndpointSlice, OURS): itself,
            here.of(ForeignCluster): partial(all_of_its, here),
        },
        observe=partial(observe, here),
        plan=plan,
        failed=failed,
        manager="shadow-endpointslice-controller",  # as the wire has it
    )


def observe(here: Caches, key: Key) -> State | None:
    shadow = here.of(ShadowEndpointSlice).get(key)
    if shadow is None or shadow.metadata.deletion_timestamp is not None:
        return None  # what was made of it goes with it, by ownership
    whose = shadow.metadata.labels.get(labels.ORIGIN, "")
    clusters = here.of(ForeignCluster)
    consumer = next((each for each in clusters if each.spec.cluster_id == whose), None)
    return State(shadow, consumer, here.of(EndpointSlice, OURS).get(key))


def plan(state: State) -> Plan:
    """
    consumer        | EndpointSlice       | what is done
    ----------------+---------------------+---------------------------------------------------
    not known (yet) | any                 | nothing: nobody knows whether it can be reached
    known           | none                | make it; one of that name that is not ours stays
    known           | of an earlier one   | delete it, if nobody has: it is made anew
    known           | of other addresses  | delete it: what they are can never change
    known           | there               | what was changed of it, if anything, is put back
    """
    shadow, there = state.shadow, state.slice
    if state.consumer is None:
        return NOTHING
    wanted = forge(shadow, is_reached=carries(state.consumer))
    if there is None:
        return do(Create(wanted))
    if there.metadata.deletion_timestamp is not None:
        return NOTHING
    if not _is_of(there.metadata, shadow) or there.address_type != wanted.body["addressType"]:
        return do(Delete(there))
    return NOTHING if is_as(there, wanted) else do(Apply(_named(wanted, there.metadata.uid)))


def failed(state: State, error: KubeError) -> Plan:
    """The consumer reads it there."""
    if not isinstance(error, Refused) and error.reason != "AlreadyExists":
        return NOTHING  # tried again soon
    message = f"Failed to bring the endpoints to this cluster: {error}"
    return do(Record(state.shadow, FAILED, message, "Warning"))


def forge(shadow: ShadowEndpointSlice, *, is_reached: bool) -> Manifest:
    """All of its labels: that of the Service is what leads anybody here."""
    told, template = shadow.metadata, shadow.spec.template
    annotations = told.annotations.items()
    metadata: JSON = {
        "name": told.name,
        "namespace": told.namespace,
        "labels": {**told.labels, labels.MANAGED: "true", labels.MANAGED_BY: MADE},
        "annotations": {name: value for name, value in annotations if name not in NOT_COPIED},
        "ownerReferences": [msgspec.to_builtins(owned_by(shadow))],
    }
    body: JSON = {
        "metadata": metadata,
        "addressType": template.address_type,
        "endpoints": [_endpoint(each, is_reached=is_reached) for each in template.endpoints],
        "ports": list(template.ports),
    }
    return Manifest(EndpointSlice.KIND, body)


def is_as(there: EndpointSlice, wanted: Manifest) -> bool:
    """What others put on it beside that is theirs."""
    body, metadata = wanted.body, wanted.body["metadata"]
    return (
        there.endpoints == body["endpoints"]
        and there.ports == body["ports"]
        and _without_stamp(metadata["labels"]).items() <= there.metadata.labels.items()
        and metadata["annotations"].items() <= there.metadata.annotations.items()
    )


def all_of_its(here: Caches, changed: ForeignCluster) -> Iterator[Key]:
    """All endpoints of that consumer."""
    for each in here.of(ShadowEndpointSlice).by(Label(labels.ORIGIN), changed.spec.cluster_id):
        yield each.key


def _endpoint(told: JSON, *, is_reached: bool) -> JSON:
    conditions = told.get("conditions") or {}
    is_ready = conditions.get("ready") is not False and is_reached
    return {
        **told,
        "addresses": [of_consumer(each) for each in told.get("addresses", ())],
        "conditions": {**conditions, "ready": is_ready},
    }


def _without_stamp(marks: dict[str, str]) -> dict[str, str]:
    """An administrator may want another than this one, and only at the beginning."""
    return {name: value for name, value in marks.items() if name != labels.MANAGED}


def _named(wanted: Manifest, uid: str) -> Manifest:
    """This very one, which we have seen: it is changed, and never made."""
    metadata = {**wanted.body["metadata"], "uid": uid}
    return Manifest(wanted.kind, {**wanted.body, "metadata": metadata})


def _is_of(there: Meta, shadow: ShadowEndpointSlice) -> bool:
    return any(owner.uid == shadow.metadata.uid for owner in there.owner_references)
