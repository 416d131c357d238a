"""How far a namespace extends: what its NamespaceOffloading says, of each cluster and of all.

The words are those of Liqo's tutorial, where that has any.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from liqo.api.offloading import MappingPhase, RemoteNamespaceCondition
from liqo.rules import conditions

Phase: TypeAlias = Literal[
    "Terminating", "NoClusterSelected", "Ready", "AllFailed", "SomeFailed", "InProgress"
]
Conditions: TypeAlias = tuple[RemoteNamespaceCondition, ...]

REQUIRED, READY = "OffloadingRequired", "Ready"
COMING = "Creating"


@dataclass(frozen=True)
class Extent:
    """One namespace on one cluster."""

    selected: bool
    phase: MappingPhase | None = None  # as its provider tells; None: it has not, or there is none
    problem: str = ""  # why it is not there, as far as somebody says so


def phase(extents: Iterable[Extent], *, is_leaving: bool) -> Phase:
    """The first rule that fits."""
    required = [each for each in extents if each.selected]
    ready = sum(each.phase == "Accepted" for each in required)
    failed = sum(each.phase == "CreationLoopBackOff" for each in required)
    if is_leaving:
        return "Terminating"
    if not required:
        return "NoClusterSelected"
    if ready == len(required):
        return "Ready"
    if failed:
        return "AllFailed" if failed == len(required) else "SomeFailed"
    return "InProgress"


def told(
    extents: Mapping[str, Extent],
    before: Mapping[str, Conditions],
    now: datetime,
    *,
    is_leaving: bool,
) -> dict[str, Conditions]:
    """Of each cluster, selected or not. Who leaves lists only those that still have something."""
    return {
        cluster: _since(_conditions(extent), before.get(cluster, ()), now)
        for cluster, extent in sorted(extents.items())
        if not is_leaving or extent.selected or extent.phase is not None
    }


def phase_in(said: Sequence[RemoteNamespaceCondition]) -> MappingPhase | None:
    """The provider's word that these conditions tell."""
    ready = conditions.find(said, READY)
    return WORDS.get(ready.reason) if ready is not None else None


def is_coming(said: Sequence[RemoteNamespaceCondition]) -> bool:
    """They tell that it was asked for, or soon will be, and nobody has answered."""
    ready = conditions.find(said, READY)
    return ready is not None and ready.reason == COMING


WORDS: Mapping[str, MappingPhase] = {
    "RemoteNamespaceCreated": "Accepted",
    "CreationLoopBackOff": "CreationLoopBackOff",
    "Terminating": "Terminating",
}


def _conditions(extent: Extent) -> Iterator[RemoteNamespaceCondition]:
    if extent.selected:
        chosen = "The remote cluster has been selected through the ClusterSelector field"
        yield _condition(REQUIRED, "True", "ClusterSelected", chosen)
    else:
        not_chosen = "You have not selected this cluster through ClusterSelector fields"
        yield _condition(REQUIRED, "False", "ClusterNotSelected", not_chosen)
    if extent.selected or extent.phase is not None:
        yield _readiness(extent)


def _readiness(extent: Extent) -> RemoteNamespaceCondition:
    match extent.phase:
        case "Accepted":
            done = "Namespace correctly offloaded on this cluster"
            return _condition(READY, "True", "RemoteNamespaceCreated", done)
        case "CreationLoopBackOff":
            failed = "Some problems occurred during remote namespace creation"
            why = f"{failed}: {extent.problem}" if extent.problem else failed
            return _condition(READY, "False", "CreationLoopBackOff", why)
        case "Terminating":
            leaving = "The remote namespace is being deleted"
            return _condition(READY, "False", "Terminating", leaving)
        case _:
            coming = "The remote namespace is being created"
            return _condition(READY, "False", COMING, coming)


def _condition(kind: str, status: str, reason: str, message: str) -> RemoteNamespaceCondition:
    return RemoteNamespaceCondition(type=kind, status=status, reason=reason, message=message)


def _since(
    new: Iterable[RemoteNamespaceCondition],
    before: Sequence[RemoteNamespaceCondition],
    now: datetime,
) -> Conditions:
    """In the order of the table; each knows since when it is so."""
    known = tuple(before)
    dated = [(each.type, conditions.with_condition(known, each, now)) for each in new]
    found = (conditions.find(after, kind) for kind, after in dated)
    return tuple(each for each in found if each is not None)
