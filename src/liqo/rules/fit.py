"""Fit: whether there is room for what a pod asks for, and for which pods there is none any more."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache

from liqo.api.meta import Key
from liqo.rules.capacity import form_of
from liqo.rules.quantity import Quantity
from liqo.rules.usage import ONE_POD, PODS, Amounts, add, amounts


@dataclass(frozen=True)
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


def displaced(pods: Collection[Bound], offered: Amounts) -> tuple[Displaced, ...]:
    """Whom an offer has no room for. The oldest keep their place, and a younger one gets in beside
    them where there is room enough for it."""
    left = {PODS: len(pods) * ONE_POD, **offered}  # who does not count them takes any number
    out = []
    for pod in sorted(pods, key=lambda pod: (pod.since, pod.key)):
        short = shortage(pod.asked, left)
        if short is not None:
            out.append(Displaced(pod.key, short))
            continue
        for resource, nano in pod.asked.items():
            left[resource] = left.get(resource, 0) - nano
    return tuple(out)


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
