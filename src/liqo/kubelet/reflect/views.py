"""What reflection follows: objects at home, and of their copies on the provider the metadata.

The metadata tells whose an object is and that it changed; a copy is then written again without ever
having been read. Nothing is selected: who cannot see what others put there would overwrite it.
(docs/adr/0019-reflection-sees-metadata.md)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic

from liqo.api.kubernetes import Pod
from liqo.api.meta import Key, Resource
from liqo.kube.arrivals import Arrivals
from liqo.kube.cache import Caches
from liqo.kube.copy import Copy
from liqo.kube.indexes import namespace as by_namespace
from liqo.kube.paths import Scope
from liqo.kube.reading import O, managed
from liqo.kubelet.atlas import Atlas, atlas_of
from liqo.kubelet.namespaces import Place
from liqo.kubelet.reflect.around import Around, alone
from liqo.kubelet.site import Site
from liqo.runtime.controller import KeysOf


@dataclass(frozen=True)
class Views(Generic[O]):
    """Who asks twice for the same gets the same copies."""

    atlas: Atlas
    locals: Copy[O]
    remotes: Copy[Any]  # of Metadata, with who wrote it; or whole
    entered: Arrivals | None = None  # namespaces of ours whose objects are all known
    arrived: Arrivals | None = None  # the same of the provider's
    around: Callable[[O], Around] = alone  # what else is known of an object
    beside: Mapping[Any, KeysOf] = field(default_factory=dict)  # whose changes concern which

    def place_of(self, namespace: str) -> Place | None:
        """Where we may write what is of that namespace; None while the provider says nothing."""
        place = self.atlas.place_of(namespace)
        return place if place is not None and place.phase == "Accepted" else None

    def origin_of(self, there: Resource) -> str | None:
        """The namespace of ours that it belongs to."""
        return self.atlas.origin_of(there.metadata.namespace)

    def inside(self, namespace: str) -> Iterable[Key]:
        """Whatever it may concern that a namespace of ours has another place."""
        return [each.key for each in self.locals.by(by_namespace, namespace)]

    def known(self, home: KeysOf) -> dict[Arrivals, KeysOf]:
        """What is told once all of a namespace is known; `home` leads back from what is there."""
        both = {self.entered: self._in, self.arrived: self._back_in}
        return {told: partial(keys, home) for told, keys in both.items() if told is not None}

    def _in(self, home: KeysOf, namespace: str) -> Iterable[Key]:
        yield from self.inside(namespace)
        place = self.place_of(namespace)
        for copy in self.remotes.by(by_namespace, place.namespace) if place is not None else ():
            yield from home(copy)

    def _back_in(self, home: KeysOf, remote: str) -> Iterable[Key]:
        namespace = self.atlas.origin_of(remote)
        return self._in(home, namespace) if namespace is not None else ()

    def everything(self, _: Resource) -> Iterable[Key]:
        """Whatever a change of a policy may concern: all that goes out."""
        for namespace in self.atlas.places():
            yield from self.inside(namespace)


def follow(here: Caches, there: Caches, site: Site, model: type[O]) -> Views[O]:
    """A kind in all namespaces that go out."""
    atlas = atlas_of(here, site)
    ours = here.within(atlas.ours, model)
    theirs = there.within(atlas.theirs, managed(model))
    return Views(atlas, ours, theirs, ours.arrivals, theirs.arrivals)


def follow_whole(here: Caches, there: Caches, site: Site, model: type[O]) -> Views[O]:
    """The same, where more than the metadata of what is there counts."""
    atlas = atlas_of(here, site)
    ours = here.within(atlas.ours, model)
    theirs: Any = there.within(atlas.theirs, model)
    return Views(atlas, ours, theirs, ours.arrivals, theirs.arrivals)


def follow_everywhere(
    here: Caches, there: Caches, site: Site, model: type[O], twin: type[Resource] | None = None
) -> Views[O]:
    """A kind without secrets: one watch of the whole cluster, however many namespaces go out.

    A Node and its pods do not wait for it.
    (docs/adr/0025-reflection-within-its-watches.md)
    """
    atlas = atlas_of(here, site)
    theirs = there.within(atlas.theirs, managed(twin or model))
    return Views(atlas, here.later(model), theirs, arrived=theirs.arrivals)


def follow_pods(here: Caches, there: Caches, site: Site, model: type[Resource]) -> Views[Pod]:
    """The pods of our node, and what of that kind is made for them."""
    atlas = atlas_of(here, site)
    pods = here.of(Pod, Scope(fields=f"spec.nodeName={site.node}"))
    theirs = there.within(atlas.theirs, managed(model))
    return Views(atlas, pods, theirs, arrived=theirs.arrivals)
