"""Quick offloading: the label `liqo.io/enabled=true` of a namespace makes a NamespaceOffloading.

It has all defaults, and may be changed. It goes with the label; one that a person made does not.

Runs on   consumer
Watches   Namespace, NamespaceOffloading
Writes    NamespaceOffloading
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from liqo.api import labels
from liqo.api.kubernetes import Namespace
from liqo.api.meta import Key, Meta, Resource
from liqo.api.offloading import NamespaceOffloading, NamespaceOffloadingSpec
from liqo.consumer.home import Home
from liqo.consumer.offloading.selection import its_namespace
from liqo.kube.cache import Caches
from liqo.kube.errors import KubeError
from liqo.kube.reading import Metadata
from liqo.rules import offloading
from liqo.runtime.controller import Controller
from liqo.runtime.plan import NOTHING, Create, Delete, Plan, Record, do
from liqo.runtime.sights import NAMESPACES


@dataclass(frozen=True)
class State:
    namespace: Metadata
    present: NamespaceOffloading | None
    objection: str = ""  # why this namespace cannot be offloaded


def controller(here: Caches, home: Home) -> Controller[State]:
    return Controller(
        name="consumer/offloading/quick",
        watches={
            here.of(NAMESPACES): partial(_concerned, here),
            here.of(NamespaceOffloading): its_namespace,
        },
        observe=partial(observe, here, home),
        plan=plan,
        failed=failed,
    )


def observe(here: Caches, home: Home, key: Key) -> State | None:
    namespace = here.of(NAMESPACES).get(key)
    if namespace is None:
        return None
    marks = namespace.metadata.labels
    return State(
        namespace,
        here.of(NamespaceOffloading).get(Key(key.name, offloading.NAME)),
        offloading.check_namespace(key.name, marks, home.namespace),
    )


def plan(state: State) -> Plan:
    """
    label        | NamespaceOffloading | what is done
    -------------+---------------------+----------------------------------------------
    true         | any                 | nothing
    true         | none                | made; where that cannot be, people are told
    other, none  | ours                | deleted
    other, none  | a person's, or none | nothing

    A namespace that goes gets none, and takes its own along.
    """
    if state.namespace.metadata.deletion_timestamp is not None:
        return NOTHING
    if not is_enabled(state.namespace):
        made = state.present is not None and is_enabled(state.present)
        return do(Delete(state.present)) if made and state.present is not None else NOTHING
    if state.present is not None:
        return NOTHING
    if state.objection:
        return do(_refused(state, state.objection))
    return do(Create(forge(state.namespace.metadata.name)))


def failed(state: State, error: KubeError) -> Plan:
    """Our own webhook may say no: a name would be too long, for one."""
    return do(_refused(state, str(error)))


def forge(namespace: str) -> NamespaceOffloading:
    """Marked as ours by the same label."""
    metadata = Meta(
        name=offloading.NAME,
        namespace=namespace,
        labels={labels.ENABLED: "true", labels.MANAGED: "true"},
    )
    return NamespaceOffloading(metadata=metadata, spec=NamespaceOffloadingSpec())


def is_enabled(marked: Resource) -> bool:
    return marked.metadata.labels.get(labels.ENABLED) == "true"


def _refused(state: State, why: str) -> Record:
    namespace = Namespace(metadata=state.namespace.metadata)
    return Record(namespace, "NotOffloaded", why, "Warning")


def _concerned(here: Caches, changed: Resource) -> Iterable[Key]:
    """Most namespaces have nothing to do with us."""
    present = here.of(NamespaceOffloading).get(Key(changed.metadata.name, offloading.NAME))
    return (changed.key,) if present is not None or is_enabled(changed) else ()
