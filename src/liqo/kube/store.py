"""The objects of a copy: by key, by indexes, and every change told to those who want to know."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Generic, TypeAlias

from liqo.api.meta import Key
from liqo.kube.copy import Subscriber
from liqo.kube.indexes import Index
from liqo.kube.reading import O

log = logging.getLogger(__name__)

Table: TypeAlias = dict[str, dict[Key, None]]  # an ordered set for each value


def is_newer(candidate: O, present: O | None) -> bool:
    """Versions of one kind grow, and since Kubernetes 1.35 it is promised that they compare."""
    if present is None:
        return True
    return version(candidate) > version(present)


def version(stored: O) -> int:
    return number(stored.metadata.resource_version)


def number(resource_version: str) -> int:
    """0 where an aggregated API server has none."""
    return int(resource_version) if resource_version.isdigit() else 0


class Store(Generic[O]):
    def __init__(self, name: str = "") -> None:
        self._name = name
        self._objects: dict[Key, O] = {}
        self._indexes: dict[Index, Table] = {}
        self._subscribers: list[Subscriber[O]] = []

    def __len__(self) -> int:
        return len(self._objects)

    def __iter__(self) -> Iterator[O]:
        return iter(self._objects.values())

    def get(self, key: Key) -> O | None:
        return self._objects.get(key)

    def by(self, index: Index, value: str) -> list[O]:
        """The first use of an index builds it."""
        table = self._indexes.get(index)
        if table is None:
            table = self._indexes[index] = {}
            for key, stored in self._objects.items():
                _enter(table, index, key, stored)
        return [self._objects[key] for key in table.get(value, ())]

    def put(self, key: Key, new: O) -> O | None:
        """Store it; gives back what was there."""
        old = self._objects.get(key)
        self._objects[key] = new
        for index, table in self._indexes.items():
            if old is not None:
                _leave(table, index, key, old)
            _enter(table, index, key, new)
        self._publish(old, new)
        return old

    def remove(self, key: Key) -> O | None:
        old = self._objects.pop(key, None)
        if old is not None:
            for index, table in self._indexes.items():
                _leave(table, index, key, old)
            self._publish(old, None)
        return old

    def alarm(self) -> None:
        """What changed is not an object: whoever decides has to look again."""
        self._publish(None, None)

    def subscribe(self, subscriber: Subscriber[O]) -> Callable[[], None]:
        self._subscribers.append(subscriber)
        for present in list(self):
            self._tell(subscriber, None, present)
        return partial(self._subscribers.remove, subscriber)

    def _publish(self, old: O | None, new: O | None) -> None:
        for subscriber in self._subscribers:
            self._tell(subscriber, old, new)

    def _tell(self, subscriber: Subscriber[O], old: O | None, new: O | None) -> None:
        try:
            subscriber(old, new)
        except Exception:  # whoever is told may fail; the copy stays current for the others
            log.exception("subscriber failed", extra={"cache": self._name})


def _enter(table: Table, index: Index, key: Key, stored: O) -> None:
    for value in index(stored):
        table.setdefault(value, {})[key] = None


def _leave(table: Table, index: Index, key: Key, stored: O) -> None:
    for value in index(stored):
        keys = table.get(value)
        if keys is not None:
            keys.pop(key, None)
            if not keys:
                del table[value]
