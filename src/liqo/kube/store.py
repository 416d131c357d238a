"""The objects of a cache: by key, by indexes, never going back in time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeAlias

from liqo.api.meta import Key
from liqo.kube.indexes import Index
from liqo.kube.reading import O

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
    def __init__(self) -> None:
        self._objects: dict[Key, O] = {}
        self._indexes: dict[Index, Table] = {}

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
        return old

    def remove(self, key: Key) -> O | None:
        old = self._objects.pop(key, None)
        if old is not None:
            for index, table in self._indexes.items():
                _leave(table, index, key, old)
        return old


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
