"""Arrivals: the namespaces in which all is known. Watched like a copy, it holds their names.

Whoever decided nothing about a namespace because it had only just entered need not look again and
again: this tells when it is worth it.
"""

from __future__ import annotations

from liqo.kube.audience import Audience


class Arrivals:
    def __init__(self) -> None:
        self._names: dict[str, None] = {}
        self._audience = Audience(self.values)
        self.subscribe = self._audience.subscribe

    def values(self) -> list[str]:
        return list(self._names)

    def add(self, name: str) -> None:
        self._names[name] = None
        self._audience.tell(name)

    def remove(self, name: str) -> None:
        """Nobody is told: a namespace that leaves takes its objects along, and that is told."""
        self._names.pop(name, None)
