"""One value that changes now and then, to be watched by controllers as they watch a cache."""

from __future__ import annotations

from typing import Generic, TypeVar

from liqo.kube.audience import Audience

T = TypeVar("T")


class Value(Generic[T]):
    def __init__(self, first: T) -> None:
        self._now = first
        self._audience = Audience(self.values)
        self.subscribe = self._audience.subscribe

    @property
    def now(self) -> T:
        return self._now

    def values(self) -> list[T]:
        return [self._now]

    def become(self, new: T) -> None:
        old, self._now = self._now, new
        if old != new:
            self._audience.tell(new, old)
