"""Fit: whether there is room for what a pod asks for, and for which pods there is none any more."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache

from liqo.api.meta import Key
from liqo.rules.capacity import form_of
from liqo.rules.quantity import Quantity
from liqo.rules.usage import ONE_POD, PODS, Amounts, add, amounts


@dataclass(frozen=True, slots=True)
class Bound:
    """A pod on a node, as far as room is concerned."""

    key: Key
    since: str  # when it was made
    asked: Amounts


@dataclass(frozen=True)
class Shortage:
    """One resource of which more is asked for than there is."""

    resource: str
    asked: Quantity
    left: Quantity  # never less than none


@dataclass(frozen=True)
class Displaced:
    key: Key
    short: Shortage


def amount(resource: str, nano: int) -> Quantity:
    """In the form in which one writes that resource: 8Gi of memory, and not 8589934592."""
    return Quantity(nano, form_of(resource))


def shortage(asked: Amounts, room: Amounts) -> Shortage | None:
    """The first in the alphabet. Of what the room does not name there is none."""
    for resource in sorted(asked):
        left = max(0, room.get(resource, 0))
        if asked[resource] > left:
            return Shortage(resource, amount(resource, asked[resource]), amount(resource, left))
    return None


def is_enough(offered: Amounts, asked: Amounts) -> bool:
    """For all pods of a node together. An offer that does not count them takes any number."""
    counted = asked if PODS in offered else {**asked, PODS: 0}
    return _fits(counted, offered)


def displaced(pods: Collection[Bound], offered: Amounts) -> tuple[Displaced, ...]:
    """Whom an offer has no room for. The oldest keep their place, and a younger one gets in beside
    them where there is room enough for it."""
    return first_displaced(pods, offered, len(pods))[0]


def first_displaced(
    pods: Collection[Bound], offered: Amounts, most: int
) -> tuple[tuple[Displaced, ...], int]:
    """The oldest of them, and how many there are: to tell of thousands takes long."""
    left = {PODS: len(pods) * ONE_POD, **offered}  # who does not count them takes any number
    out, count = [], 0
    for pod in sorted(pods, key=lambda pod: (pod.since, pod.key)):
        if _fits(pod.asked, left):
            for resource, nano in pod.asked.items():
                left[resource] = left.get(resource, 0) - nano
            continue
        count += 1
        if count <= most and (short := shortage(pod.asked, left)):
            out.append(Displaced(pod.key, short))
    return tuple(out), count


def _fits(asked: Amounts, room: Amounts) -> bool:
    """What `shortage` says, without the words for it."""
    return not any(nano > 0 and nano > room.get(name, 0) for name, nano in asked.items())


def in_all(pods: Iterable[Bound]) -> Amounts:
    asked: dict[str, int] = {}
    for pod in pods:
        add(asked, pod.asked)
    return asked


@lru_cache(maxsize=16)  # asked for every pod, and changed when the provider's nodes are
def largest(note: str) -> Amounts:
    """What one pod may ask for at most, as a virtual node says it: `cpu=25,memory=60Gi`.

    Written by a provider, or by hand: what cannot be read says nothing.
    """
    pairs = (each.partition("=") for each in note.split(",") if each)
    try:
        return amounts({name.strip(): written for name, _, written in pairs})
    except ValueError:
        return {}


def too_large(asked: Amounts, note: str) -> Shortage | None:
    """Of what the node says nothing about, one may ask for as much as there is."""
    room = largest(note)
    return shortage({name: nano for name, nano in asked.items() if name in room}, room)
