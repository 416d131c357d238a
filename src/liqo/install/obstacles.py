"""What keeps Liqo from being uninstalled: whatever still joins this cluster to another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from liqo.api import labels
from liqo.api.authentication import ResourceSlice
from liqo.api.core import ForeignCluster
from liqo.api.ipam import IP, Network
from liqo.api.meta import Resource
from liqo.api.networking.configuration import Configuration
from liqo.api.offloading import NamespaceOffloading
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.kube.reading import O

MODULES = ("networking", "authentication", "offloading")
BELONGS_TO: Mapping[type[Resource], str] = {
    Configuration: "networking",
    IP: "networking",
    Network: "networking",
    ResourceSlice: "authentication",
}  # the module of a peering whose end removes it
OWN_ADDRESSES = ("api-server", "api-server-proxy")
PEERINGS = (
    "You must remove all the active peerings with other clusters before uninstalling Liqo.\n"
    "You can disable the active peerings via the 'liqoctl unpeer' command.\n"
    "Check 'liqoctl unpeer --help' for further information."
)
NAMESPACES = (
    "You must remove all the offloaded namespaces before uninstalling Liqo.\n"
    "You can disable the namespace offloading 'liqoctl unoffload' command.\n"
    "Check 'liqoctl unoffload --help' for further information."
)


@dataclass(frozen=True)
class Found:
    clusters: Sequence[ForeignCluster] = ()
    offloadings: Sequence[NamespaceOffloading] = ()
    others: Sequence[Resource] = ()  # of the kinds in BELONGS_TO


@dataclass
class Obstacles:
    modules: dict[str, set[str]] = field(default_factory=lambda: {name: set() for name in MODULES})
    namespaces: set[str] = field(default_factory=set)
    resources: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(any(self.modules.values()) or self.namespaces or self.resources)


async def look(cluster: Cluster) -> Found:
    others: list[Resource] = []
    for kind in BELONGS_TO:
        others += await _all(cluster, kind)
    return Found(
        await _all(cluster, ForeignCluster), await _all(cluster, NamespaceOffloading), others
    )


async def _all(cluster: Cluster, kind: type[O]) -> list[O]:
    """None of a kind that is not there: what was never installed is in nobody's way."""
    try:
        return (await cluster.list(kind, resource_version="")).items
    except NotFound:
        return []


def obstacles(found: Found) -> Obstacles:
    result = Obstacles()
    for cluster in found.clusters:
        for module in MODULES:
            if is_enabled(cluster, module):
                result.modules[module].add(cluster.spec.cluster_id)
    result.namespaces |= {each.metadata.namespace for each in found.offloadings}
    known = {cluster.spec.cluster_id for cluster in found.clusters}
    for each in filter(is_in_the_way, found.others):
        peer = each.metadata.labels.get(labels.REMOTE_CLUSTER_ID, "")
        if peer in known:
            result.modules[BELONGS_TO[type(each)]].add(peer)
        else:
            result.resources.add(f"{each.KIND}: {each.key}")
    return result


def is_enabled(cluster: ForeignCluster, module: str) -> bool:
    modules = cluster.status.modules if cluster.status else None
    return bool(modules and getattr(modules, module).enabled)


def is_in_the_way(thing: Resource) -> bool:
    """Addresses and networks that nobody holds, and those of the installation itself, are not."""
    if not isinstance(thing, (IP, Network)):
        return True
    installed = thing.metadata.annotations.get(labels.PREINSTALLED, "false") != "false"
    own = isinstance(thing, IP) and thing.metadata.name in OWN_ADDRESSES
    return bool(thing.metadata.finalizers) and not installed and not own


def sentences(found: Obstacles) -> Iterator[str]:
    """What is in the way, then what to do about it."""
    sections = {
        **{f"disable {name} for clusters:": ids for name, ids in found.modules.items()},
        "unoffload the following namespaces:": found.namespaces,
        "remove the following resources:": found.resources,
    }
    listed = (f"{title}\n{_list(items)}\n" for title, items in sections.items() if items)
    yield "\n".join(("Pre-uninstall checks failed: you should:\n", *listed))
    if any(found.modules.values()):
        yield PEERINGS
    if found.namespaces:
        yield NAMESPACES


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in sorted(items))
