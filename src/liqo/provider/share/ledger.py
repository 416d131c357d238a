"""Ledger: what is free on the nodes that count, kept up by changes and never added up anew.

    free for a consumer = Σ over nodes of max(0, allocatable − taken + taken by its own pods)

One sum is kept for everybody. Beside it, for each consumer that has pods here, what its own pods
take from that sum: on other nodes they make no difference. Of every resource, what each node has
free is kept in order, so that the largest are known. So a pod costs a look at its own node, and an
offer a look at none, however many there are. Room that moves from node to node leaves all sums as
they are, and so does what a consumer takes itself to its own sum: a revision tells that something
changed somewhere, and never comes back.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from liqo.api.meta import Key
from liqo.rules.capacity import SHOWN, Free
from liqo.rules.usage import Amounts


class Bounds(Protocol):
    """Amounts that do not matter to whoever asks."""

    def __contains__(self, amount: int, /) -> bool: ...


@dataclass(frozen=True)
class Booking:
    """What a pod takes, and where."""

    node: str
    amounts: Amounts
    consumer: str = ""  # who sent it; empty: it is this cluster's own


@dataclass
class Room:
    """One node."""

    allocatable: Amounts | None = None  # None: it does not count
    taken: dict[str, int] = field(default_factory=dict)
    taken_by: dict[str, dict[str, int]] = field(default_factory=dict)  # consumers

    def free(self, consumer: str = "") -> dict[str, int]:
        taken, own = self.taken, self.taken_by.get(consumer, {})
        return {
            name: max(0, amount - taken.get(name, 0) + own.get(name, 0))
            for name, amount in (self.allocatable or {}).items()
        }

    def take(self, amounts: Amounts, consumer: str) -> None:
        """To give it back, take the negative."""
        _settle(self.taken, amounts)
        if consumer and not _settle(self.taken_by.setdefault(consumer, {}), amounts):
            del self.taken_by[consumer]


class Ledger:
    def __init__(self) -> None:
        self._rooms: dict[str, Room] = {}  # also of nodes that do not count, if pods are there
        self._bookings: dict[Key, Booking] = {}
        self._places: dict[str, list[int]] = {}  # by resource: what each node has free, in order
        self._allocatable: dict[str, int] = {}
        self._free: dict[str, int] = {}
        self._own: dict[str, dict[str, int]] = {}  # by consumer: what its pods take from that
        self.revision = 0  # the same as long as no node has more or less room
        self.nodes = 0  # that count

    def node(self, name: str, allocatable: Amounts | None) -> bool:
        """None: it does not count, or is gone. True if that changes anything."""
        known = self._rooms.get(name)
        if allocatable == (known.allocatable if known is not None else None):
            return False
        with self._changed(name) as room:
            room.allocatable = allocatable
        self.revision += 1
        return True

    def pod(self, key: Key, booking: Booking | None) -> bool:
        """None: it ended. True if that changes anything on a node that counts."""
        old = self._bookings.pop(key, None)
        if booking is not None:
            self._bookings[key] = booking
        if old == booking:
            return False
        gone = old is not None and self._book(old, -1)
        come = booking is not None and self._book(booking, 1)
        return gone or come

    def sums(self, consumer: str) -> dict[str, Free]:
        own = self._own.get(consumer, {})
        return {
            name: Free(self._allocatable.get(name, 0), self._free.get(name, 0) + own.get(name, 0))
            for name in self._places
        }

    def is_as(self, consumer: str, sums: Mapping[str, Free]) -> bool:
        """Whether these are the sums, without making them: at the first that is not it is known."""
        own, free = self._own.get(consumer, {}), self._free
        for name, total in sums.items():
            if free.get(name, 0) + own.get(name, 0) != total.free:
                return False
        return sums.keys() == self._places.keys() and all(
            self._allocatable.get(name, 0) == total.allocatable for name, total in sums.items()
        )

    def is_within(self, consumer: str, ranges: Mapping[str, Bounds]) -> bool:
        """Whether so much is free of each, and of nothing else anything."""
        own, free = self._own.get(consumer, {}), self._free
        for name, range_ in ranges.items():
            if free.get(name, 0) + own.get(name, 0) not in range_:
                return False
        return ranges.keys() == self._places.keys()

    def free(self, consumer: str) -> dict[str, Free]:
        """The sums, and where there is room for one more pod, beside all that are there: its own
        pods are in nobody's way in the sum, and in the way of the next one on their node.
        """
        return {
            name: Free(total.allocatable, total.free, _most(self._places[name]))
            for name, total in self.sums(consumer).items()
        }

    def _book(self, booking: Booking, sign: int) -> bool:
        with self._changed(booking.node) as room:
            room.take(_times(sign, booking.amounts), booking.consumer)
            counts = room.allocatable is not None
        self.revision += counts
        return counts

    @contextmanager
    def _changed(self, node: str) -> Iterator[Room]:
        room = self._rooms.setdefault(node, Room())
        before = self._count(room, -1)
        yield room
        self._place(before, self._count(room, 1))
        if room.allocatable is None and not room.taken:
            del self._rooms[node]

    def _count(self, room: Room, sign: int) -> Amounts:
        """What is free there; nothing, where it does not count."""
        if room.allocatable is None:
            return {}
        self.nodes += sign
        free = room.free()
        _settle(self._allocatable, _times(sign, room.allocatable))
        _settle(self._free, _times(sign, free))
        for consumer in room.taken_by:
            own = {name: amount - free[name] for name, amount in room.free(consumer).items()}
            if not _settle(self._own.setdefault(consumer, {}), _times(sign, own)):
                del self._own[consumer]
        return free

    def _place(self, before: Amounts, after: Amounts) -> None:
        """In order, what a node has now in place of what it had."""
        for name, amount in before.items() - after.items():
            there = self._places[name]
            del there[bisect_left(there, amount)]
            if not there:
                del self._places[name]
        for name, amount in after.items() - before.items():
            insort(self._places.setdefault(name, []), amount)


def _settle(total: dict[str, int], more: Amounts) -> dict[str, int]:
    """Add it; what comes to nothing is forgotten."""
    for name, amount in more.items():
        if left := total.get(name, 0) + amount:
            total[name] = left
        else:
            total.pop(name, None)
    return total


def _times(sign: int, amounts: Amounts) -> dict[str, int]:
    return {name: sign * amount for name, amount in amounts.items()}


def _most(places: list[int]) -> tuple[int, ...]:
    """That a node has none is worth telling only of all of them."""
    return tuple(amount for amount in reversed(places[-SHOWN:]) if amount) or (0,)
