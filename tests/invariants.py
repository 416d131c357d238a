"""What must hold of pods that went out, whatever happened: how objects stood in, sentences out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple, cast

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON, Key, Kind, Resource
from liqo.api.offloading import ShadowPod

POD, SHADOW_POD = Pod.KIND.name, ShadowPod.KIND.name
FINISHED = frozenset({"Succeeded", "Failed"})
ABORTED = "OffloadingAborted"  # the reason of what ran in a namespace that was taken back
STATUSES = ("initContainerStatuses", "containerStatuses")


@dataclass(frozen=True)
class Sight:
    """How one object stood at one moment."""

    cluster: str
    kind: str
    key: Key
    uid: str
    version: str
    of: str  # uid of the local pod that it is, or is for
    owner: str = ""  # uid of the ShadowPod that a remote pod is made of
    phase: str = ""
    reason: str = ""
    containers: frozenset[tuple[str, str]] = frozenset()  # (name, ID) of those that were started
    is_ending: bool = False
    is_gone: bool = False

    def __str__(self) -> str:
        """One line of a story."""
        why = f" ({self.reason})" if self.reason else ""
        end = " gone" if self.is_gone else " ending" if self.is_ending else ""
        return f"{self.object}, {self.uid} at {self.version}: {self.phase or '-'}{why}{end}"

    @property
    def object(self) -> str:
        return f"{self.cluster}: {self.kind} {self.key}"


class Wrong(NamedTuple):
    of: str  # uid of the local pod that it is about
    sentence: str


def sight(cluster: str, kind: Kind, thing: Resource) -> Sight:
    known = thing.metadata
    marks = known.annotations
    of = marks.get(labels.LOCAL_POD_UID) or marks.get(labels.SERVICE_ACCOUNT_POD_UID) or known.uid
    seen = Sight(
        cluster,
        kind.name,
        thing.key,
        known.uid,
        known.resource_version,
        of,
        owner=next((each.uid for each in known.owner_references if each.controller), ""),
        is_ending=known.deletion_timestamp is not None,
    )
    if not isinstance(thing, Pod):
        return seen
    status = thing.status
    return replace(
        seen,
        phase=status.get("phase", ""),
        reason=status.get("reason", ""),
        containers=frozenset(_started(cast(JSON, status))),
    )


def _started(status: JSON) -> Iterator[tuple[str, str]]:
    """Simulated containers have no ID: nothing of them was started."""
    for each in (each for part in STATUSES for each in status.get(part, ())):
        before = each.get("lastState", {}).get("terminated", {})
        for identity in (each.get("containerID"), before.get("containerID")):
            if identity:
                yield each["name"], identity


@dataclass(frozen=True)
class Life:
    """All that was seen of one object, in order; never empty."""

    sights: list[Sight]

    @property
    def last(self) -> Sight:
        return self.sights[-1]

    @property
    def is_live(self) -> bool:
        return not self.last.is_gone

    @property
    def is_quiet(self) -> bool:
        return not (self.last.is_gone or self.last.is_ending)

    @property
    def phases(self) -> list[str]:
        return [sight.phase for sight in self.sights]

    @property
    def ends(self) -> set[str]:
        """How it finished, of itself: what is deleted stops in some phase, too."""
        return {sight.phase for sight in self.sights if not sight.is_ending} & FINISHED

    def __str__(self) -> str:
        return self.last.object


class History:
    """Of one virtual node: the pods of a consumer, and what a provider made of them."""

    def __init__(self, consumer: str, provider: str) -> None:
        self.consumer, self.provider = consumer, provider
        self.here: dict[str, Life] = {}  # by uid
        self.made: dict[tuple[str, str], list[Life]] = defaultdict(list)  # by local uid, and kind
        self.taken: set[str] = set()  # uids of what the test took away itself
        self._sights: list[Sight] = []
        self._lives: dict[str, Life] = {}

    def note(self, seen: Sight) -> None:
        self._sights.append(seen)
        known = self._lives.get(seen.uid)
        if known is not None:
            known.sights.append(seen)
            return
        life = self._lives[seen.uid] = Life([seen])
        if seen.cluster == self.consumer:
            self.here[seen.uid] = life
        else:
            self.made[seen.of, seen.kind].append(life)

    def there(self) -> Iterator[Life]:
        for lives in self.made.values():
            yield from lives

    def live(self) -> Iterator[Life]:
        yield from (life for life in self._lives.values() if life.is_live)

    def is_taken(self, life: Life) -> bool:
        """It, or that which it is made of."""
        return bool(self.taken & {life.last.uid, life.last.owner})

    def story(self, of: str) -> list[str]:
        """All that was seen of a local pod, and of what was made for it."""
        return [str(sight) for sight in self._sights if sight.of == of]


def violations(history: History) -> list[Wrong]:
    """What must never have happened."""
    rules = (_made_twice, _started_twice, _went_on, _ran_again, _finished, _deleted)
    return [wrong for rule in rules for wrong in rule(history)]


def disagreements(history: History) -> list[Wrong]:
    """What must not be so any more, once everything has settled."""
    return [*_unlike(history), *_left(history)]


def _made_twice(history: History) -> Iterator[Wrong]:
    for (of, kind), made in history.made.items():
        counted = [life for life in made if not history.is_taken(life)]
        if kind in (POD, SHADOW_POD) and len(counted) > 1:
            uids = ", ".join(life.last.uid for life in counted)
            yield Wrong(of, f"{counted[0]} was made {len(counted)} times for one pod: uids {uids}")


def _started_twice(history: History) -> Iterator[Wrong]:
    for life in history.there():
        started: dict[str, set[str]] = defaultdict(set)
        for name, identity in set().union(*(sight.containers for sight in life.sights)):
            started[name].add(identity)
        for name, identities in sorted(started.items()):
            if len(identities) > 1 and not history.is_taken(life):
                times = f"was started {len(identities)} times"
                yield Wrong(life.last.of, f"{life}: its container {name} {times}")


def _went_on(history: History) -> Iterator[Wrong]:
    """Of one object: what finished has finished."""
    for life in (*history.here.values(), *history.there()):
        ended = ""
        for phase in filter(None, life.phases):
            if ended and phase not in FINISHED:
                yield Wrong(life.last.of, f"{life} was {ended}, and {phase} after that")
                break
            ended = phase if phase in FINISHED else ended


def _ran_again(history: History) -> Iterator[Wrong]:
    """Of one local pod: no other is made once one of them finished, whoever took that away."""
    for uid in history.here:
        pods = history.made.get((uid, POD), [])
        for before, after in pairwise(pods):
            if before.ends:
                ended = f"{before.last.uid} {min(before.ends)}"
                yield Wrong(uid, f"{after} was made again after {ended}")


def _finished(history: History) -> Iterator[Wrong]:
    for uid, life in history.here.items():
        there = {end for twin in history.made.get((uid, POD), ()) for end in twin.ends}
        for end in life.ends - there:
            reasons = {sight.reason for sight in life.sights if sight.phase == end} - {""}
            if reasons == {ABORTED} and history.is_taken(life):
                continue
            why = f" ({min(reasons)})" if reasons else ""
            yield Wrong(uid, f"{life} {end}{why}, and no pod of it in {history.provider} did")


def _deleted(history: History) -> Iterator[Wrong]:
    for uid, life in history.here.items():
        if not life.is_quiet and not history.is_taken(life):
            yield Wrong(uid, f"{life} was deleted, and the test did not do it")


def _unlike(history: History) -> Iterator[Wrong]:
    for uid, life in history.here.items():
        if life.is_live and not life.is_quiet:
            yield Wrong(uid, f"{life} is still being deleted")
        if not life.is_quiet or life.last.phase in FINISHED:
            continue
        for kind in (SHADOW_POD, POD):
            twins = [twin for twin in history.made.get((uid, kind), ()) if twin.is_quiet]
            if len(twins) != 1:
                yield Wrong(uid, f"{life} has {len(twins)} {kind}s in {history.provider}, not one")
            elif kind == POD and twins[0].last.phase != life.last.phase:
                shown = f"{life.last.phase or 'nothing'}, and its pod in {history.provider}"
                yield Wrong(uid, f"{life} shows {shown} is {twins[0].last.phase or 'nothing'}")


def _left(history: History) -> Iterator[Wrong]:
    for life in history.there():
        local = history.here.get(life.last.of)
        if life.is_live and (local is None or not local.is_live):
            yield Wrong(life.last.of, f"{life} is left, and its pod in {history.consumer} is gone")
