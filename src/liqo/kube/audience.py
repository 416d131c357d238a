"""Audience: who wants to hear of what changes. Whatever has one can be watched as a copy is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T")
Hears: TypeAlias = Callable[[T | None, T | None], None]
"""(old, new), as of a copy; None: was not."""


class Audience(Generic[T]):
    """Whoever comes hears first of all that is there."""

    def __init__(self, there: Callable[[], Iterable[T]]) -> None:
        self._there = there
        self._hearers: list[Hears[T]] = []

    def subscribe(self, hears: Hears[T]) -> Callable[[], None]:
        """Gives back how to end it."""
        self._hearers.append(hears)
        for each in self._there():
            hears(None, each)
        return partial(self._hearers.remove, hears)

    def tell(self, new: T, old: T | None = None) -> None:
        for hears in self._hearers:
            hears(old, new)
