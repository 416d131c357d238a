"""Answer: what a consumer asks for in a class of somebody's own is granted as its function says.

Runs on   provider, in a process of its own
Watches   ResourceSlice (received, of this class), Tenant
Writes    ResourceSlice.status: resources, and the condition `Resources`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TypeAlias

import msgspec

from liqo.api.authentication import ResourceSlice, ResourceSliceCondition, Tenant
from liqo.api.meta import Key
from liqo.kube.cache import Caches
from liqo.provider import grant as words
from liqo.provider.watched import slices_of_its_peer, tenant_of
from liqo.rules.conditions import with_condition
from liqo.rules.difference import difference
from liqo.rules.quantity import Quantity, parse
from liqo.runtime.clock import Clock, wall_clock
from liqo.runtime.controller import Controller, itself
from liqo.runtime.plan import NOTHING, PatchStatus, Plan, do


@dataclass(frozen=True)
class Request:
    """What a consumer asks for. Nothing in particular is asked for by naming no resource."""

    consumer: str  # its cluster ID
    name: str  # of the ResourceSlice; the virtual node will have the same
    resources: Mapping[str, Quantity]


@dataclass(frozen=True)
class Refusal:
    """A sentence for the consumer, who reads it in the condition `Resources`."""

    why: str


Answer: TypeAlias = Mapping[str, Quantity] | Refusal
"""What is granted, all of it; or why nothing is."""

Grant: TypeAlias = Callable[[Request], Answer]
"""Asked again whenever something changes: the same request should have the same answer."""


@dataclass(frozen=True)
class State:
    asked: ResourceSlice
    is_open: bool  # for this consumer: its Tenant is active
    now: datetime


def controller(
    here: Caches, of_class: str, grant: Grant, clock: Clock = wall_clock
) -> Controller[State]:
    return Controller(
        name=f"classes/{of_class}",
        watches={here.of(ResourceSlice): itself, here.of(Tenant): slices_of_its_peer(here)},
        observe=partial(observe, here, of_class, clock),
        plan=partial(plan, grant),
    )


def observe(here: Caches, of_class: str, clock: Clock, key: Key) -> State | None:
    asked = here.of(ResourceSlice).get(key)
    if asked is None or not asked.received or asked.metadata.deletion_timestamp is not None:
        return None
    if asked.spec.class_ != of_class:
        return None
    tenant = tenant_of(here, asked)
    return State(asked, tenant is not None and is_active(tenant), clock())


def is_active(tenant: Tenant) -> bool:
    return tenant.spec.tenant_condition == "Active" and not tenant.metadata.deletion_timestamp


def plan(grant: Grant, state: State) -> Plan:
    """
    Tenant              | what is done
    --------------------+----------------------------------------------------------------
    none, or not active | nothing: it has what it has, and the provider says the rest
    active              | the answer, also where somebody said that there would be none
    """
    if not state.is_open:
        return NOTHING
    asked = state.asked
    resources = {name: parse(amount) for name, amount in asked.spec.resources.items()}
    answer = grant(Request(asked.spec.consumer_cluster_id, asked.metadata.name, resources))
    status = msgspec.structs.replace(
        asked.status,
        conditions=with_condition(asked.status.conditions, condition(answer), state.now),
        resources=asked.status.resources if isinstance(answer, Refusal) else written(answer),
    )
    change = difference(msgspec.to_builtins(asked.status), msgspec.to_builtins(status))
    return do(PatchStatus(asked, change, only_if_unchanged=True)) if change else NOTHING


def condition(answer: Answer) -> ResourceSliceCondition:
    if isinstance(answer, Refusal):
        return msgspec.structs.replace(words.condition("Resources", "Denied"), message=answer.why)
    return words.condition("Resources", "Accepted")


def written(granted: Mapping[str, Quantity]) -> dict[str, str]:
    return {name: str(amount) for name, amount in granted.items()}
