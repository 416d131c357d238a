"""Namespaces that are offloaded to our provider, and what they are called there.

All of it is read from the NamespaceMap whenever somebody asks: nothing is started or stopped, so
nothing can be started late or stopped by mistake.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from liqo.api import labels
from liqo.api.offloading import NamespaceMap, RemoteNamespace
from liqo.rules import tenancy
from liqo.rules.offloading import stay_at_home

Phase: TypeAlias = Literal["Accepted", "Degraded"]
NOWHERE = RemoteNamespace()
KEPT = 20_000  # of each sort: more than any node has at a time, and few to remember for ever


@dataclass(frozen=True)
class Place:
    """A namespace of the provider. In a degraded one what runs goes on, and nothing new begins."""

    namespace: str
    phase: Phase = "Accepted"
    is_answered: bool = True  # by the provider: before that there is nothing to be seen of it
    keeps_pods: bool = False  # at home: all else of it is here


def map_of(maps: Iterable[NamespaceMap], provider: str) -> NamespaceMap | None:
    """Our map of this provider; the oldest, should somebody have made a second one.

    Where it borrows from us, too, a copy of its own one lies beside ours, with the same label.
    """
    found = [
        each
        for each in maps
        if each.metadata.labels.get(labels.REMOTE_CLUSTER_ID) == provider
        and not tenancy.is_copy(each)
    ]
    return min(found, key=_age) if found else None


def places(known: NamespaceMap | None) -> dict[str, Place]:
    """Where the pods of our namespaces go; those that stay are not in it.

    What the provider answers counts only as an answer to what we asked: it may say anything.

    wanted | answer, for the name we asked for | so it is
    -------+-----------------------------------+--------------------------------------------------
    no     | any                               | not offloaded
    yes    | Accepted                          | accepted; with its pods, if the map does not say no
    yes    | CreationLoopBackOff               | degraded: the provider fails, perhaps for a moment
    yes    | Terminating                       | not offloaded
    yes    | none, or for another name         | degraded: the provider has not answered (yet)

    A degraded one whose name there belongs to another namespace of ours is not offloaded, either.
    """
    if known is None:
        return {}
    keep_pods, current = stay_at_home(known), known.status.current_mapping
    taken = {each.remote_namespace for each in current.values() if each.phase == "Accepted"}
    found = {}
    for local, wanted in known.spec.desired_mapping.items():
        answer = current.get(local, NOWHERE)
        phase = answer.phase if wanted and answer.remote_namespace == wanted else None
        if phase == "Accepted":
            found[local] = Place(wanted, keeps_pods=local in keep_pods)
        elif wanted and phase != "Terminating" and wanted not in taken:
            found[local] = Place(wanted, "Degraded", is_answered=phase is not None)
    return found


def _age(known: NamespaceMap) -> tuple[str, str]:
    return known.metadata.creation_timestamp or "", known.metadata.name


@dataclass
class Absences:
    """Since when something is known not to be there: a namespace that is offloaded, an answer.

    The wire has no place for it. A kubelet that restarts counts anew: later, never sooner.
    """

    _since: dict[Hashable, datetime] = field(default_factory=dict)

    def since(self, name: Hashable, there: object | None, now: datetime) -> datetime | None:
        if there is not None:
            self._since.pop(name, None)
            return None
        since = self._since.setdefault(name, now)
        if len(self._since) > KEPT:
            del self._since[next(iter(self._since))]
        return since
