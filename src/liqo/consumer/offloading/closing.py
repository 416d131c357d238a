"""Closes a namespace whose pods stay at home: the label that opens it is taken away.

The review of a NamespaceOffloading sets it before that is stored (webhooks/opening.py). So for a
while our copy may say that pods stay where they are about to go: as long it is left alone. But
somebody else may refuse what we let in, or it is gone before we saw it: nobody else cleans up then.

Runs on   consumer
Watches   Namespace, NamespaceOffloading
Writes    Namespace: its label, and the note beside it
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from liqo.api import labels
from liqo.api.kubernetes import Namespace
from liqo.api.meta import Key, Resource
from liqo.api.offloading import NamespaceOffloading
from liqo.consumer.offloading.selection import its_namespace
from liqo.kube.cache import Caches
from liqo.kube.reading import Metadata
from liqo.rules import offloading
from liqo.rules.opening import CLOSED, SETTLED, is_open, opened_at
from liqo.runtime.clock import Clock
from liqo.runtime.controller import Controller
from liqo.runtime.plan import NOTHING, Patch, Plan, do
from liqo.runtime.sights import NAMESPACES

PATIENCE = timedelta(seconds=15)  # other webhooks are asked meanwhile, and have ten, as a rule


@dataclass(frozen=True)
class State:
    namespace: Metadata
    wanted: NamespaceOffloading | None
    now: datetime


def controller(here: Caches, clock: Clock) -> Controller[State]:
    return Controller(
        name="consumer/offloading/closing",
        watches={here.of(NAMESPACES): _if_open, here.of(NamespaceOffloading): its_namespace},
        observe=partial(observe, here, clock),
        plan=plan,
    )


def observe(here: Caches, clock: Clock, key: Key) -> State | None:
    namespace = here.of(NAMESPACES).get(key)
    wanted = here.of(NamespaceOffloading).get(Key(key.name, offloading.NAME))
    return State(namespace, wanted, clock()) if namespace is not None else None


def plan(state: State) -> Plan:
    """
    pods        | opened              | what is done
    ------------+---------------------+-------------------------
    any         | never, not any more | nothing
    any         | just now            | wait: it may not be over
    may go out  | before              | the note goes
    stay        | before              | the label goes, too
    """
    namespace = state.namespace
    if _may_go_out(state.wanted):
        is_right, change = labels.OPENED not in namespace.metadata.annotations, SETTLED
    else:
        is_right, change = not is_open(namespace), CLOSED
    if is_right:
        return NOTHING
    opened = opened_at(namespace) or state.now - PATIENCE
    left = min(opened + PATIENCE - state.now, PATIENCE).total_seconds()
    if left > 0:
        return do(wake_after=left)
    seen = Namespace(metadata=namespace.metadata)
    return do(Patch(seen, {"metadata": change}, only_if_unchanged=True))  # it may be opened again


def _may_go_out(wanted: NamespaceOffloading | None) -> bool:
    return wanted is not None and wanted.spec.pod_offloading_strategy != "Local"


def _if_open(namespace: Resource) -> Iterable[Key]:
    """Most namespaces are not."""
    return (namespace.key,) if is_open(namespace) else ()
