"""Which pod of the provider stands for a pod of ours."""

from __future__ import annotations

import re
from dataclasses import dataclass

from liqo.api.kubernetes import Pod
from liqo.api.meta import Key
from liqo.kube.cache import Caches
from liqo.kube.copy import Copy
from liqo.kube.paths import Scope
from liqo.kubelet.atlas import Atlas, atlas_of
from liqo.kubelet.site import Site


@dataclass(frozen=True)
class Twins:
    pods: Copy[Pod]  # bound to our node
    atlas: Atlas

    def of(self, pod: Key) -> Key | None:
        """None where no such pod is on our node, or its namespace stays at home."""
        if self.pods.get(pod) is None:
            return None
        place = self.atlas.place_of(pod.namespace)
        return Key(place.namespace, pod.name) if place is not None else None

    def as_at_home(self, text: str) -> str:
        """What a provider says of a twin, with the names that namespaces have at home."""
        for local, place in self.atlas.places().items():
            alone = rf"(?<![a-z0-9-]){re.escape(place.namespace)}(?![a-z0-9-])"
            text = re.sub(alone, local, text)
        return text


def twins(here: Caches, site: Site) -> Twins:
    pods = here.of(Pod, Scope(fields=f"spec.nodeName={site.node}"))
    return Twins(pods, atlas_of(here, site))
