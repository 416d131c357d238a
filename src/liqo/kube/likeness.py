"""What objects have in common, kept once: thousands of pods have the same labels, and most the same
spec as the pod before them, or were written field for field by the same managers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable
from typing import Generic, TypeAlias, TypeVar

import msgspec
from msgspec.structs import force_setattr

from liqo.api.meta import Meta

REMEMBERED = 64  # of each: as many workloads may grow at a time
LONGEST = 8 * 1024  # bytes: what is remembered in vain is half a megabyte at most

Labels: TypeAlias = dict[str, str]
T = TypeVar("T")


def sharing(version: tuple[int, int]) -> Callable[[str], str]:
    """What makes one word of equal ones, in that version of Python.

    3.12 never forgets what it was told to share. Names of labels are few, but what comes and goes,
    as namespaces do and what labels say, would fill its memory: there everybody has a copy.
    """
    return str if version == (3, 12) else sys.intern


_word = sharing(sys.version_info[:2])


class Latest(Generic[T]):
    """Of equal things one, as long as it is among the latest that were seen."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, T] = {}  # the oldest first

    def __len__(self) -> int:
        return len(self._seen)

    def like(self, mark: Hashable, made: T) -> T:
        """The one that is known by this mark; if there is none, the one that was made."""
        known = self._seen.pop(mark, made)
        self._seen[mark] = known
        if len(self._seen) > REMEMBERED:
            del self._seen[next(iter(self._seen))]
        return known


class Likeness:
    """Of the objects of one kind. Nobody notices whose parts he holds: they are frozen, and their
    labels, which are plain dicts, are changed by nobody, as nothing in a cache is."""

    def __init__(self) -> None:
        self._raw = Latest[msgspec.Raw]()
        self._labels = Latest[Labels]()

    def raw(self, read: msgspec.Raw) -> msgspec.Raw:
        """One that owns its bytes, together with its like."""
        body = bytes(read)
        own = msgspec.Raw(body)
        return self._raw.like(body, own) if len(body) <= LONGEST else own

    def share(self, meta: Meta) -> None:
        """Names, labels, and what owners are called. Of annotations the names alone: what they say
        is of one object."""
        force_setattr(meta, "namespace", _word(meta.namespace))
        force_setattr(meta, "name", _word(meta.name))  # a pod here, its twin there, its owner
        labels = {sys.intern(name): _word(value) for name, value in meta.labels.items()}
        force_setattr(meta, "labels", self._labels.like(tuple(labels.items()), labels))
        if meta.annotations:
            named = {sys.intern(name): value for name, value in meta.annotations.items()}
            force_setattr(meta, "annotations", named)
        for owner in meta.owner_references:
            for field in ("api_version", "kind", "name"):
                force_setattr(owner, field, _word(getattr(owner, field)))
