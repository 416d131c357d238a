"""Atlas: where our namespaces are, as the newest NamespaceMap tells it.

It is worked out once for each version of the map, however many ask and however often. Watched like
a copy, it holds the names of namespaces, and tells of those whose place is another than before: who
has hundreds of them does not look at all again because one more is offloaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from liqo.api.offloading import NamespaceMap
from liqo.kube.audience import Hears
from liqo.kube.cache import Caches
from liqo.kube.copy import Copy
from liqo.kube.namespaced import Change
from liqo.kube.paths import Scope
from liqo.kubelet.namespaces import Place, map_of, places
from liqo.kubelet.site import Site


@dataclass(frozen=True)
class Sheet:
    """One side of it: the namespaces there in which something is followed."""

    source: Copy[NamespaceMap]
    names: Callable[[], Iterable[str]]  # as they are now

    def follow(self, enter: Change, leave: Change) -> Callable[[], None]:
        told: frozenset[str] = frozenset()

        def changed(*_: NamespaceMap | None) -> None:
            nonlocal told
            before, told = told, frozenset(self.names())
            for name in before - told:
                leave(name)
            for name in told - before:
                enter(name)

        return self.source.subscribe(changed)


class Atlas:
    def __init__(self, maps: Copy[NamespaceMap], provider: str) -> None:
        self.maps = maps
        self.ours = Sheet(maps, lambda: self._followed().keys())
        self.theirs = Sheet(maps, lambda: self._followed().values())
        self._provider = provider
        self._drawn: NamespaceMap | None = None  # what the following was worked out from
        self._places: dict[str, Place] = {}
        self._origins: dict[str, str] = {}  # the namespace of ours, by its name there
        self._answered: dict[str, str] = {}  # the name there, by the namespace of ours

    def places(self) -> Mapping[str, Place]:
        newest = map_of(self.maps, self._provider)
        if newest is not self._drawn:
            self._drawn, self._places = newest, places(newest)
            found = [(local, each.namespace, each) for local, each in self._places.items()]
            self._origins = {there: local for local, there, _ in found}
            self._answered = {local: there for local, there, each in found if each.is_answered}
        return self._places

    def place_of(self, namespace: str) -> Place | None:
        """Where the pods of a namespace of ours go; None where they stay."""
        return self.places().get(namespace)

    def origin_of(self, remote: str) -> str | None:
        """Which namespace of ours is offloaded there."""
        self.places()
        return self._origins.get(remote)

    def values(self) -> list[str]:
        return list(self.places())

    def subscribe(self, hears: Hears[str]) -> Callable[[], None]:
        """Tell of every one that moves from now on, and first of those that are there already."""
        told: Mapping[str, Place] = {}

        def changed(old: NamespaceMap | None, new: NamespaceMap | None) -> None:
            nonlocal told
            before, told = told, self.places()
            for namespace in before.keys() | told.keys():
                if before.get(namespace) != told.get(namespace):
                    hears(None, namespace)
            if old is None and new is None:
                hears(None, None)

        return self.maps.subscribe(changed)

    def _followed(self) -> Mapping[str, str]:
        """Nobody asks about a namespace of which the provider has not said that it is there: it
        would be refused again and again, hundreds of times where hundreds are offloaded at once."""
        self.places()
        return self._answered


def atlas_of(here: Caches, site: Site) -> Atlas:
    """One for all of a kubelet."""
    maps = here.of(NamespaceMap, Scope(namespace=site.tenant_namespace))
    return here.shared((Atlas, maps, site.provider), lambda: Atlas(maps, site.provider))
