"""All that is known about the capacity of one virtual node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from liqo.api import labels
from liqo.api.authentication import ResourceSlice
from liqo.api.kubernetes import Node
from liqo.api.meta import Key
from liqo.api.offloading import VirtualNode
from liqo.api.sizes import SizedPod
from liqo.errors import LiqoError
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.kube.paths import Scope
from liqo.kube.reading import metadata
from liqo.rules.slices import beside, slice_of


@dataclass(frozen=True)
class Facts:
    node: VirtualNode
    granted: ResourceSlice | None = None  # None: it is made of none, or of one that is gone
    beside: tuple[str, ...] = ()  # other virtual nodes of the same slice
    pods: tuple[SizedPod, ...] = ()  # bound to it …
    others: tuple[SizedPod, ...] = ()  # … and to those

    @property
    def slice_name(self) -> str:
        return slice_of(self.node)


async def find(cluster: Cluster, name: str, namespace: str) -> Facts:
    known = (await cluster.list(VirtualNode, scope=Scope(namespace))).items
    if not any(each.metadata.name == name for each in known):
        raise unknown(name, known, is_real=await _exists(cluster, name))
    node = only(name, known)
    pods, granted = await _pods(cluster, name), await _slice(cluster, node)
    neighbours = tuple(beside(node, known))
    others = [pod for each in neighbours for pod in await _pods(cluster, each)]
    return Facts(node, granted, neighbours, pods, tuple(others))


def only(name: str, known: Sequence[VirtualNode]) -> VirtualNode:
    there = [each for each in known if each.metadata.name == name]
    if len(there) > 1:
        places = ", ".join(sorted(each.metadata.namespace for each in there))
        raise LiqoError(
            f'there are several: a VirtualNode "{name}" in each of {places}; '
            "choose with --namespace"
        )
    return there[0]


def unknown(name: str, known: Sequence[VirtualNode], *, is_real: bool) -> LiqoError:
    """What there is instead, and where to look."""
    names = ", ".join(sorted({each.metadata.name for each in known}))
    what = f'the node "{name}" is not virtual' if is_real else f'there is no virtual node "{name}"'
    if not names:
        return LiqoError(f"{what}, nor any other; borrow from a cluster with: liqoctl peer")
    see = f"describe node {name}" if is_real else f"get nodes -l {labels.TYPE}=virtual-node"
    return LiqoError(f"{what} (virtual nodes: {names}); see: kubectl {see}")


async def _slice(cluster: Cluster, node: VirtualNode) -> ResourceSlice | None:
    if not (name := slice_of(node)):
        return None
    try:
        return await cluster.get(ResourceSlice, Key(node.metadata.namespace, name))
    except NotFound:
        return None


async def _pods(cluster: Cluster, node: str) -> tuple[SizedPod, ...]:
    found = await cluster.list(SizedPod, scope=Scope(fields=f"spec.nodeName={node}"))
    return tuple(found.items)


async def _exists(cluster: Cluster, name: str) -> bool:
    try:
        await cluster.get(metadata(Node), Key("", name))
    except NotFound:
        return False
    return True
