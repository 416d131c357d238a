"""Which namespaces a call is about."""

from __future__ import annotations

from dataclasses import dataclass

from liqo.api.kubernetes import Namespace
from liqo.api.meta import Key
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.kube.paths import Scope
from liqo.kube.reading import Metadata, metadata


@dataclass(frozen=True)
class Choice:
    names: tuple[str, ...]
    selector: str = ""


async def chosen(cluster: Cluster, choice: Choice) -> list[Metadata]:
    """Those that are named, in that order, and then those that the selector adds."""
    found = {name: await named(cluster, name) for name in choice.names}
    if choice.selector:
        scope = Scope(labels=choice.selector)
        listing = await cluster.list(metadata(Namespace), scope=scope, resource_version="")
        for each in sorted(listing.items, key=lambda each: each.key):
            found.setdefault(each.metadata.name, each)
    return list(found.values())


async def named(cluster: Cluster, name: str) -> Metadata:
    try:
        return await cluster.get(metadata(Namespace), Key("", name))
    except NotFound:
        raise LiqoError(
            f'there is no namespace "{name}" in {cluster.name}, {cluster.access.server}; make it '
            f"with: kubectl create namespace {name}"
        ) from None
