"""NamespaceMap: namespaces that a consumer wants here, and the rights of its users in them.

Runs on   provider
Watches   NamespaceMap (received), Namespace, RoleBinding (of peers), Tenant
Writes    Namespace, RoleBinding, NamespaceMap status and finalizer
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain

from msgspec import to_builtins

from liqo.api import labels
from liqo.api.authentication import Tenant
from liqo.api.kubernetes import Namespace, RoleBinding
from liqo.api.meta import JSON, Key, Resource
from liqo.api.offloading import MappingPhase, NamespaceMap, RemoteNamespace
from liqo.kube.cache import Caches
from liqo.kube.errors import Conflict, KubeError, NotFound
from liqo.kube.indexes import namespace as by_namespace
from liqo.kube.reading import Metadata
from liqo.provider import reason, twin
from liqo.provider.grant import Terms
from liqo.provider.twin import Twin
from liqo.rules import names, offloading, tenancy
from liqo.runtime.bindings import bound
from liqo.runtime.controller import Controller, itself
from liqo.runtime.finalizers import with_finalizer, without_finalizer
from liqo.runtime.plan import (
    NOTHING,
    Action,
    Create,
    Delete,
    Part,
    PatchStatus,
    Plan,
    Record,
    do,
)
from liqo.runtime.sights import NAMESPACES
from liqo.runtime.tenants import OF_PEERS

FINALIZER = labels.NAMESPACE_MAP_FINALIZER
MANAGED_BY = labels.MANAGED_BY_NAMESPACE_MAP
UNSAID: JSON = {"message": None}  # what was wrong before


@dataclass(frozen=True)
class State:
    map: NamespaceMap
    consumer: str
    trusted: bool  # it lies in the tenant namespace of the consumer it comes from, who may stay
    namespaces: Mapping[str, Metadata]  # that it names or that were made for it, if they are there
    bindings: Mapping[str, RoleBinding]  # its own, by namespace
    marks: Mapping[str, str] = field(default_factory=dict)  # labels for its namespaces

    @property
    def managed_by(self) -> str:
        return str(self.map.key)

    @property
    def desired(self) -> Mapping[str, str]:
        """A map that goes wants nothing."""
        return self.map.spec.desired_mapping if self.map.metadata.deletion_timestamp is None else {}

    @cached_property
    def originals(self) -> Mapping[str, str]:
        return _originals(self)


@dataclass(frozen=True)
class Lost:
    """What was made for a map that is gone, or no copy any more: its consumer did that to it."""

    namespaces: tuple[Metadata, ...]
    bindings: tuple[RoleBinding, ...]
    map: NamespaceMap | None = None  # which we still hold


def controller(here: Caches, terms: Terms) -> Controller[State | Lost]:
    return Controller(
        name="provider/namespacemap",
        watches={
            here.of(NamespaceMap): itself,
            here.of(NAMESPACES): _concerned(here),
            here.of(RoleBinding, OF_PEERS): _manager,
            here.of(Tenant): partial(_beside, here),
        },
        observe=partial(observe, here, terms),
        plan=plan,
        part_failed=part_failed,
    )


def observe(here: Caches, terms: Terms, key: Key) -> State | Lost | None:
    """Made for it is what says so. What a consumer lets its map say, and omit, is up to it."""
    made = [each for each in here.of(NAMESPACES).by(_made_for, str(key)) if _is_for_a_peer(each)]
    given = here.of(RoleBinding, OF_PEERS).by(_made_for, str(key))
    asked = here.of(NamespaceMap).get(key)
    if asked is None or not tenancy.is_copy(asked):  # gone; or our own, for somebody else
        held = asked if asked is not None and FINALIZER in asked.metadata.finalizers else None
        return Lost(tuple(made), tuple(given), held) if made or given or held else None
    consumer = asked.metadata.labels[labels.ORIGIN_ID]
    named = remote_names(asked)
    found = (here.of(NAMESPACES).get(Key("", name)) for name in named)
    bound = (here.of(RoleBinding, OF_PEERS).get(Key(name, key.namespace)) for name in named)
    return State(
        asked,
        consumer,
        trusted=is_trusted(here, key.namespace, consumer),
        namespaces={each.metadata.name: each for each in (*made, *found) if each is not None},
        bindings={each.metadata.namespace: each for each in (*given, *bound) if each is not None},
        marks=terms.namespace_labels(consumer),
    )


def is_trusted(here: Caches, place: str, consumer: str) -> bool:
    """Who goes, or is drained, gets nothing new."""
    home = here.of(NAMESPACES).get(Key("", place))
    beside = here.of(Tenant).by(by_namespace, place)
    return tenancy.is_tenant_namespace(home, consumer) and not any(
        tenant.metadata.deletion_timestamp or tenant.spec.tenant_condition == "Drained"
        for tenant in beside
        if tenant.spec.cluster_id == consumer
    )


def plan(state: State | Lost) -> Plan:
    """
    entry      | namespace        | what is done                        | phase
    -----------+------------------+-------------------------------------+--------------------
    wanted     | none             | make it, and the binding            | as it was, or none yet
    wanted     | none: refused    | the same again, later               | CreationLoopBackOff
    wanted     | ours, bound      | put its labels right                | Accepted
    wanted     | ours, not bound  | the same, then bind                 | as it was
    wanted     | ours, going away | nothing: it is made anew after that | Terminating
    wanted     | somebody else's  | say so                              | CreationLoopBackOff
    wanted     | of another entry | say so: two cannot share one        | CreationLoopBackOff
    wanted     | of a former one  | the same as if it were not wanted   | Terminating
    wanted     | impossible name  | say so                              | CreationLoopBackOff
    not wanted | ours             | delete binding and namespace        | Terminating
    not wanted | other, or none   | nothing                             | the entry goes

    Of an entry is what was made for it, and of a former one if that does not want it any more: no
    twin changes hands. When it is gone, with all that was in it, there is a new one.
    Nobody is let in before the labels are right, its level of Pod Security among them. But where
    it was accepted, somebody is in: of labels and rights, one that is refused holds up no other.
    A map that goes, or is gone, wants nothing. One that lies in the wrong place is ignored.
    """
    if isinstance(state, Lost):
        return lose(state)
    asked = state.map
    is_going = asked.metadata.deletion_timestamp is not None
    if not state.trusted and not is_going:
        return NOTHING
    holders = _holders(state)
    verdicts = {
        local: offered(state, local, remote)
        if holders[remote] == local
        else _refused(state, offloading.taken(holders[remote], remote))
        for local, remote in state.desired.items()
    }
    mapping = {**_leaving(state), **_staying(state, verdicts)}
    before = [*_withdrawn(state), *chain(*(each.told for each in verdicts.values()))]
    if is_going and not mapping:
        return do(*before, *without_finalizer(asked, FINALIZER))
    holding = () if is_going else with_finalizer(asked, FINALIZER)
    # Who is said to have a namespace has it (twin.original): said no more before another is made.
    parts = (Part(local, part) for local, each in verdicts.items() for part in each.parts if part)
    return do(*holding, *before, *_published(asked, mapping), parts=parts)


def part_failed(state: State | Lost, local: str, error: KubeError) -> Plan:
    """What its consumer reads of a namespace that is refused here: by a policy, a quota, a webhook.

    What was accepted stays so, as long as it is there; that its labels, or the rights in it, could
    not be put right is told here alone. Words that are as they were are not written anew: that
    would be a change of the map, which has it tried again at once.
    """
    if isinstance(state, Lost) or isinstance(error, Conflict | NotFound):
        return NOTHING  # decided anew at once, with what changed
    remote, said = state.desired[local], _said(state, local)
    why = reason.words(error)
    is_ready = _is_accepted(state, local) or offered(state, local, remote).phase
    if remote in state.namespaces and is_ready:
        return do(Record(state.map, "NamespaceNotPutRight", f"{remote}: {why}", "Warning"))
    if said is not None and reason.are_as_before(why, said.message):
        why = said.message
    told = RemoteNamespace(remote_namespace=remote, phase="CreationLoopBackOff", message=why)
    mapping = {**state.map.status.current_mapping, local: told}
    return do(*_not_created(state, why), *_published(state.map, mapping))


def lose(state: Lost) -> Plan:
    if state.map is not None and not state.namespaces:
        return do(*map(Delete, state.bindings), *without_finalizer(state.map, FINALIZER))
    return do(*map(Delete, state.bindings), *map(_removal, state.namespaces))


@dataclass(frozen=True)
class Verdict:
    """What is to be done for one wanted namespace, and what can be said of it already."""

    parts: tuple[tuple[Action, ...], ...] = ()  # each in order
    phase: MappingPhase | None = None
    message: str = ""
    told: tuple[Record, ...] = ()


def offered(state: State, original: str, name: str) -> Verdict:
    if not names.DNS_LABEL.fullmatch(name) or len(name) > names.LABEL:
        impossible = f"{offloading.quoted(name)} cannot be the name of a namespace"
        return _refused(state, impossible)
    wanted = Twin(name, original, state.consumer, state.map.key, state.marks)
    there = state.namespaces.get(name)
    if there is None:
        return Verdict(((Create(twin.namespace(wanted)), *bound(twin.binding(wanted), None)),))
    if not is_twin(state, there):
        taken = (
            f'namespace "{name}" already exists and it is not managed by NamespaceMap '
            f'"{state.managed_by}"'
        )
        return _refused(state, taken)
    if there.metadata.deletion_timestamp is not None or _is_left(state, name):
        return Verdict(phase="Terminating")
    mended = tuple(twin.put_right(wanted, there))
    given = tuple(bound(twin.binding(wanted), state.bindings.get(name)))
    parts = (mended, given) if _is_accepted(state, original) else ((*mended, *given),)
    return Verdict(parts, None if given else "Accepted")


def _refused(state: State, why: str) -> Verdict:
    return Verdict((), "CreationLoopBackOff", why, _not_created(state, why))


def _not_created(state: State, why: str) -> tuple[Record, ...]:
    return (Record(state.map, "NamespaceNotCreated", why, "Warning"),)


def _holders(state: State) -> dict[str, str]:
    """Which of the consumer's namespaces has each of ours: the one that it was made for."""
    holders: dict[str, str] = {}
    for local, remote in sorted(state.desired.items()):
        if remote not in holders or state.originals.get(remote) == local:
            holders[remote] = local
    return holders


def _originals(state: State) -> dict[str, str]:
    """Of each namespace that is there: for which one of the consumer's it was made."""
    said = state.map.status.current_mapping.items()
    accepted = ((local, each.remote_namespace) for local, each in said if each.phase == "Accepted")
    having, wanting = _by_name(accepted), _by_name(state.desired.items())
    return {
        name: twin.original(there, having.get(name, ()), wanting.get(name, ()))
        for name, there in state.namespaces.items()
    }


def _by_name(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for local, remote in sorted(pairs):
        found.setdefault(remote, []).append(local)
    return found


def _is_left(state: State, name: str) -> bool:
    """For whom it was made does not want it, be there others who do: they would find the rest."""
    return state.desired.get(state.originals[name]) != name


def is_ours(state: State, made: Metadata | RoleBinding) -> bool:
    return made.metadata.annotations.get(MANAGED_BY) == state.managed_by


def is_twin(state: State, there: Metadata) -> bool:
    """It says so; or somebody took that away, and all else still does, our binding in it too."""
    notes, given = there.metadata.annotations, state.bindings.get(there.metadata.name)
    if MANAGED_BY in notes:
        return is_ours(state, there)
    is_named = labels.ORIGINAL_NAME in notes
    is_for_it = there.metadata.labels.get(labels.REMOTE_CLUSTER_ID) == state.consumer
    return is_named and is_for_it and given is not None and is_ours(state, given)


def remote_names(asked: NamespaceMap) -> set[str]:
    """All that it names: those that it wants, and those that it had."""
    had = (entry.remote_namespace for entry in asked.status.current_mapping.values())
    return {*asked.spec.desired_mapping.values(), *had}


def _withdrawn(state: State) -> Iterator[Action]:
    """Rights first: what is inside may keep a namespace for long."""
    unwanted = _unwanted(state)
    kept = {*state.desired.values()} - {each.metadata.name for each in unwanted}
    for name, given in sorted(state.bindings.items()):
        if name not in kept and is_ours(state, given):
            yield Delete(given)
    yield from map(_removal, unwanted)


def _unwanted(state: State) -> list[Metadata]:
    left = (each for name, each in state.namespaces.items() if _is_left(state, name))
    return sorted((each for each in left if is_twin(state, each)), key=lambda each: each.key)


def _removal(made: Metadata) -> Delete:
    return Delete(Namespace(metadata=made.metadata))


def _leaving(state: State) -> dict[str, RemoteNamespace]:
    return {
        local: RemoteNamespace(remote_namespace=each.metadata.name, phase="Terminating")
        for each in _unwanted(state)
        if (local := state.originals[each.metadata.name]) not in state.desired
    }


def _staying(state: State, verdicts: Mapping[str, Verdict]) -> dict[str, RemoteNamespace]:
    """Where nothing new can be said yet, what was said stands."""
    entries = {
        local: RemoteNamespace(
            remote_namespace=remote,
            phase=verdicts[local].phase,
            message=verdicts[local].message,
        )
        if verdicts[local].phase is not None
        else _said(state, local)
        for local, remote in state.desired.items()
    }
    return {local: entry for local, entry in entries.items() if entry is not None}


def _said(state: State, local: str) -> RemoteNamespace | None:
    """Of the name that it is to have: what was said of another is none of it."""
    said = state.map.status.current_mapping.get(local)
    return said if said is not None and said.remote_namespace == state.desired[local] else None


def _is_accepted(state: State, local: str) -> bool:
    said = _said(state, local)
    return said is not None and said.phase == "Accepted"


def _published(
    asked: NamespaceMap, mapping: Mapping[str, RemoteNamespace]
) -> Iterator[PatchStatus]:
    said = asked.status.current_mapping
    change: JSON = {local: None for local in said if local not in mapping}
    for local, entry in mapping.items():
        if said.get(local) != entry:
            change[local] = (
                {**UNSAID, **to_builtins(entry)} if local in said else to_builtins(entry)
            )
    if change:
        yield PatchStatus(asked, {"currentMapping": change})


def _manager(changed: Resource) -> Iterable[Key]:
    """The map that a namespace or a binding was made for."""
    namespace, _, name = changed.metadata.annotations.get(MANAGED_BY, "").partition("/")
    return (Key(namespace, name),) if name else ()


def _concerned(here: Caches) -> Callable[[Resource], Iterable[Key]]:
    """Also those maps that would like to have what is somebody else's."""

    def keys(changed: Resource) -> Iterable[Key]:
        wanting = here.of(NamespaceMap).by(_wanted, changed.metadata.name)
        inside = here.of(NamespaceMap).by(by_namespace, changed.metadata.name)
        return {*_manager(changed), *(asked.key for asked in (*wanting, *inside))}

    return keys


def _beside(here: Caches, tenant: Resource) -> Iterable[Key]:
    maps = here.of(NamespaceMap).by(by_namespace, tenant.metadata.namespace)
    return [asked.key for asked in maps]


def _made_for(found: Resource) -> Iterable[str]:
    """Index of namespaces and bindings by the map that they were made for."""
    manager = found.metadata.annotations.get(MANAGED_BY)
    return () if manager is None else (manager,)


def _is_for_a_peer(namespace: Metadata) -> bool:
    return labels.REMOTE_CLUSTER_ID in namespace.metadata.labels


def _wanted(found: Resource) -> Iterable[str]:
    """Index of maps by the namespaces that they name."""
    return remote_names(found) if isinstance(found, NamespaceMap) else ()
