"""Neighbours: the other virtual nodes of our slice, and the pods that are out for them.

They are no pods of ours: what the provider has in our cluster's name tells of them. Looked at one
by one, when the slice shrinks; who wants several nodes for one slice has few of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from liqo.api import labels
from liqo.api.kubernetes import Pod
from liqo.api.meta import Key, Meta
from liqo.api.offloading import ShadowPod, VirtualNode
from liqo.api.sizes import size_of
from liqo.kube.cache import Caches
from liqo.kube.copy import Copy
from liqo.kube.paths import Scope
from liqo.kubelet.atlas import Atlas, atlas_of
from liqo.kubelet.pods.marks import is_ours
from liqo.kubelet.pods.status import FINISHED
from liqo.kubelet.site import Site
from liqo.rules.fit import Bound
from liqo.rules.slices import beside, follows
from liqo.rules.usage import countable


@dataclass(frozen=True)
class Neighbours:
    site: Site
    atlas: Atlas
    nodes: Copy[VirtualNode]
    shadows: Copy[ShadowPod]

    def names(self) -> tuple[str, ...]:
        """None of a node that was made by hand: it may offer less than its slice grants."""
        ours = self.nodes.get(Key(self.site.tenant_namespace, self.site.node))
        return tuple(beside(ours, self.nodes)) if ours is not None and follows(ours) else ()

    def pods(self, nodes: Collection[str]) -> Iterator[tuple[Pod, Bound]]:
        """What is known of those that have not finished."""
        for shadow in self.shadows:
            namespace = self.atlas.origin_of(shadow.metadata.namespace)
            if namespace is not None and self._is_out(shadow, nodes):
                uid = shadow.metadata.annotations.get(labels.LOCAL_POD_UID, "")
                metadata = Meta(name=shadow.metadata.name, namespace=namespace, uid=uid)
                since = shadow.metadata.creation_timestamp or ""
                asked = countable(size_of(shadow.spec.raw_pod))
                yield Pod(metadata=metadata), Bound(Key(namespace, metadata.name), since, asked)

    def _is_out(self, shadow: ShadowPod, nodes: Collection[str]) -> bool:
        if shadow.status is not None and shadow.status.phase in FINISHED:
            return False
        return is_ours(shadow, self.site) and shadow.metadata.labels.get(labels.NODE_NAME) in nodes


def neighbours(here: Caches, there: Caches, site: Site) -> Neighbours:
    atlas = atlas_of(here, site)
    return Neighbours(
        site=site,
        atlas=atlas,
        nodes=here.of(VirtualNode, Scope(site.tenant_namespace)),
        shadows=there.within(atlas.theirs, ShadowPod),
    )
