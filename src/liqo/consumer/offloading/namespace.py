"""A namespace that is offloaded: its label, its end, and what its NamespaceOffloading says.

Which clusters it goes to is written elsewhere, in their NamespaceMaps; here it is only told.

Runs on   consumer
Watches   NamespaceOffloading, Namespace, NamespaceMap (ours), VirtualNode, Node (virtual),
          Deployment (of the webhook)
Writes    NamespaceOffloading status and finalizer; the label of the Namespace
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from msgspec import to_builtins

from liqo.api import labels
from liqo.api.kubernetes import Deployment, Namespace, Node
from liqo.api.meta import Key, Resource
from liqo.api.offloading import (
    NamespaceMap,
    NamespaceOffloading,
    NamespaceOffloadingStatus,
    VirtualNode,
)
from liqo.consumer.home import Home
from liqo.consumer.offloading.selection import (
    choosy,
    its_key,
    nodes_of,
    objection,
    own_maps,
    provider_of,
    selects,
)
from liqo.kube.cache import Cache, Caches
from liqo.kube.paths import named
from liqo.kube.reading import Metadata
from liqo.rules import extent, names, offloading, opening, selectors, tenancy
from liqo.rules.difference import difference
from liqo.rules.extent import Extent
from liqo.runtime.clock import Clock
from liqo.runtime.controller import Controller, itself
from liqo.runtime.finalizers import with_finalizer, without_finalizer
from liqo.runtime.plan import NOTHING, Action, Patch, PatchStatus, Plan, Record, do
from liqo.runtime.sights import NAMESPACES, VIRTUAL_NODES

FINALIZER = labels.NAMESPACE_OFFLOADING_FINALIZER
# A provider that does not answer, or says what it likes, keeps no namespace of ours for ever. That
# its twin is not wanted any more it learns all the same: the map says so.
PATIENCE = timedelta(minutes=5)


@dataclass(frozen=True)
class State:
    wanted: NamespaceOffloading
    namespace: Metadata | None
    remote_name: str
    extents: Mapping[str, Extent]  # by cluster
    now: datetime
    objection: str = ""  # why nothing is done for it
    unreviewed: str = ""  # why nobody answers for its pods


def controller(here: Caches, home: Home, clock: Clock) -> Controller[State]:
    every = partial(_every, here)
    return Controller(
        name="consumer/offloading/namespace",
        watches={
            here.of(NamespaceOffloading): itself,
            here.of(NAMESPACES): partial(_of_namespace, here),
            here.of(NamespaceMap): partial(_unsettled, here),
            here.of(VirtualNode): every,
            here.of(Node, VIRTUAL_NODES): partial(_choosy, here),
            webhook(here, home): every,
        },
        observe=partial(observe, here, home, clock),
        plan=plan,
    )


def webhook(here: Caches, home: Home) -> Cache[Deployment]:
    return here.of(Deployment, named(Key(home.namespace, names.WEBHOOK)))


def observe(here: Caches, home: Home, clock: Clock, key: Key) -> State | None:
    wanted = here.of(NamespaceOffloading).get(key)
    if wanted is None:
        return None
    namespace = here.of(NAMESPACES).get(Key("", key.namespace))
    name = offloading.remote_name(wanted, home.cluster_id)
    why_not = objection(wanted, namespace, home)
    wrong = offloading.check_name(wanted, home.cluster_id)
    maps = own_maps(here) if not why_not else ()
    return State(
        wanted,
        namespace,
        name,
        extents={provider_of(each): _extent(here, wanted, each, name, wrong) for each in maps},
        now=clock(),
        objection=why_not,
        unreviewed=_unreviewed(webhook(here, home), namespace),
    )


def plan(state: State) -> Plan:
    """
    NamespaceOffloading | on some cluster | what is done
    --------------------+-----------------+------------------------------------------------------
    not to be heeded    | any             | let go; status; tell why
    live                | any             | our finalizer, the label if pods may go out, status
    being deleted       | yes             | no label, status; wait, but not for ever
    being deleted       | no              | no label; let go
    """
    wanted = state.wanted
    if state.objection:
        why = _warned(state, state.objection)
        return do(*without_finalizer(wanted, FINALIZER), *_said(state), *why)
    if wanted.metadata.deletion_timestamp is not None:
        return _end(state, wanted.metadata.deletion_timestamp)
    opens = wanted.spec.pod_offloading_strategy != "Local"
    return do(
        *with_finalizer(wanted, FINALIZER),
        *(_opened(state) if opens else ()),
        *_said(state),
        *_told(state, opens=opens),
    )


def _end(state: State, since: str) -> Plan:
    wanted = state.wanted
    over = datetime.fromisoformat(since) + PATIENCE
    is_somewhere = any(each.phase is not None for each in state.extents.values())
    if FINALIZER not in wanted.metadata.finalizers:
        return NOTHING
    if is_somewhere and state.now < over:
        waiting = (over - state.now).total_seconds()
        return do(*_closed(state), *_said(state), wake_after=waiting)
    return do(*_closed(state), *without_finalizer(wanted, FINALIZER))


def _opened(state: State) -> Iterator[Action]:
    """Only pods of labelled namespaces are asked about (webhooks/configuration.py)."""
    namespace = state.namespace
    if namespace is None or namespace.metadata.labels.get(labels.SCHEDULING_ENABLED) == "true":
        return
    change = opening.opened(state.wanted.spec.pod_offloading_strategy, state.now)
    yield Patch(Namespace(metadata=namespace.metadata), {"metadata": change})


def _closed(state: State) -> Iterator[Action]:
    if state.namespace is not None and opening.is_open(state.namespace):
        namespace = Namespace(metadata=state.namespace.metadata)
        yield Patch(namespace, {"metadata": opening.CLOSED})


def _said(state: State) -> Iterator[Action]:
    wanted = state.wanted
    is_leaving = wanted.metadata.deletion_timestamp is not None
    before = wanted.status
    after = NamespaceOffloadingStatus(
        offloading_phase=extent.phase(state.extents.values(), is_leaving=is_leaving),
        remote_namespace_name=state.remote_name,
        remote_namespaces_conditions=extent.told(
            state.extents, before.remote_namespaces_conditions, state.now, is_leaving=is_leaving
        ),
        observed_generation=wanted.metadata.generation,
    )
    if change := difference(to_builtins(before), to_builtins(after)):
        yield PatchStatus(wanted, change)


def _told(state: State, *, opens: bool) -> Iterator[Action]:
    wanted = state.wanted
    if wrong := selectors.problem(wanted.spec.cluster_selector):
        yield from _warned(state, f"Invalid ClusterSelector: {wrong}")
    elif state.extents and not any(each.selected for each in state.extents.values()):
        known = ", ".join(sorted(state.extents))
        none = f"no cluster matches the ClusterSelector; there are {known}"
        yield Record(wanted, "NoClusterSelected", none, "Warning")
    for cluster, each in sorted(state.extents.items()):
        if each.selected and each.problem:
            yield Record(wanted, "CreationLoopBackOff", f"{cluster}: {each.problem}", "Warning")
    if opens and state.unreviewed:
        yield Record(wanted, "WebhookUnavailable", state.unreviewed, "Warning")


def _warned(state: State, why: str) -> Iterator[Action]:
    yield Record(state.wanted, "Invalid", why, "Warning")


def _extent(
    here: Caches, wanted: NamespaceOffloading, known: NamespaceMap, name: str, wrong: str
) -> Extent:
    namespace = wanted.metadata.namespace
    entry = known.status.current_mapping.get(namespace)
    if not selects(wanted, known, nodes_of(here, provider_of(known))):
        # Whatever it says, or has only been asked for: what is not wanted is on its way out.
        is_somewhere = entry is not None or namespace in known.spec.desired_mapping
        return Extent(selected=False, phase="Terminating" if is_somewhere else None)
    problem = wrong or _rival(known, namespace, name)
    if problem:
        return Extent(selected=True, phase="CreationLoopBackOff", problem=problem)
    if entry is None or entry.remote_namespace != name:
        return Extent(selected=True)
    return Extent(selected=True, phase=entry.phase, problem=entry.message)


def _rival(known: NamespaceMap, namespace: str, name: str) -> str:
    other = offloading.rival(known, namespace, name)
    return offloading.taken(other, name) if other else ""


def _unreviewed(deployments: Cache[Deployment], namespace: Metadata | None) -> str:
    """Where there is no Deployment we do not know: it may be called otherwise."""
    if namespace is not None and labels.TENANT_NAMESPACE in namespace.metadata.labels:
        return (
            f"pods of a namespace with the label {labels.TENANT_NAMESPACE} are not reviewed, and "
            "stay in this cluster. Remove the label"
        )
    if not all(each.status.get("availableReplicas", 0) for each in deployments):
        return (
            "the webhook of Liqo does not run: until it does, no pod can be created in this "
            f"namespace. See the Deployment {names.WEBHOOK}"
        )
    return ""


def _of_namespace(here: Caches, changed: Resource) -> Iterable[Key]:
    """Most namespaces are not offloaded."""
    return [key for key in its_key(changed) if here.of(NamespaceOffloading).get(key) is not None]


def _unsettled(here: Caches, known: NamespaceMap) -> Iterable[Key]:
    """Those that do not say yet what the map says: of hundreds, one changes at a time."""
    if tenancy.is_copy(known):
        return
    cluster, asked = provider_of(known), known.spec.desired_mapping
    for wanted in here.of(NamespaceOffloading):
        entry = known.status.current_mapping.get(wanted.metadata.namespace)
        said = wanted.status.remote_namespaces_conditions.get(cluster, ())
        phase = entry.phase if entry is not None else None
        is_leaving = wanted.metadata.deletion_timestamp is not None
        is_passed_over = extent.is_coming(said) and wanted.metadata.namespace not in asked
        if is_leaving or not said or extent.phase_in(said) != phase or is_passed_over:
            yield wanted.key


def _choosy(here: Caches, _: Resource) -> Iterable[Key]:
    return [wanted.key for wanted in choosy(here)]


def _every(here: Caches, _: Resource) -> Iterable[Key]:
    return [wanted.key for wanted in here.of(NamespaceOffloading)]
