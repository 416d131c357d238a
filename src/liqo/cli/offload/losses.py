"""What ends when a namespace is taken back: pods that nobody makes again, and volumes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from liqo.api.kubernetes import Node, PersistentVolumeClaim, Pod
from liqo.kube.cluster import Cluster
from liqo.kube.paths import Scope
from liqo.kube.reading import metadata
from liqo.rules.ownership import controller_of
from liqo.runtime.sights import VIRTUAL_NODES

PLACE = "volume.kubernetes.io/selected-node"  # of a claim: where its volume was made
FINISHED = ("Succeeded", "Failed")
SHOWN = 5  # names in one sentence


@dataclass(frozen=True)
class Abroad:
    """What a namespace has on virtual nodes."""

    namespace: str
    pods: tuple[Pod, ...] = ()
    claims: Mapping[str, str] = field(default_factory=dict)  # where the volume of each is

    @property
    def owned(self) -> tuple[Pod, ...]:
        """Somebody makes them again, here, when they are gone."""
        return tuple(pod for pod in self.pods if controller_of(pod))

    @property
    def lonely(self) -> tuple[Pod, ...]:
        return tuple(pod for pod in self.pods if not controller_of(pod))


async def virtual_nodes(cluster: Cluster) -> frozenset[str]:
    found = await cluster.list(metadata(Node), scope=VIRTUAL_NODES, resource_version="")
    return frozenset(each.metadata.name for each in found.items)


async def look(cluster: Cluster, namespace: str, nodes: frozenset[str]) -> Abroad:
    inside = Scope(namespace)
    pods = await cluster.list(Pod, scope=inside, resource_version="")
    claims = await cluster.list(metadata(PersistentVolumeClaim), scope=inside, resource_version="")
    placed = {each.metadata.name: each.metadata.annotations.get(PLACE, "") for each in claims.items}
    return Abroad(
        namespace,
        tuple(abroad(pods.items, nodes)),
        {claim: node for claim, node in sorted(placed.items()) if node in nodes},
    )


def abroad(pods: Sequence[Pod], nodes: frozenset[str]) -> list[Pod]:
    """Those that run there, or are about to."""
    return [
        pod
        for pod in pods
        if pod.spec.get("nodeName", "") in nodes and pod.status.get("phase") not in FINISHED
    ]


def sentences(there: Abroad) -> Iterator[str]:
    namespace = there.namespace
    if owned := there.owned:
        yield (
            f'{counted(len(owned), "pod")} of the namespace "{namespace}" will be ended, and made '
            f"again by their owners in this cluster: {_names(owned)}"
        )
    if lonely := there.lonely:
        yield (
            f'{counted(len(lonely), "pod")} of the namespace "{namespace}" will be lost, for '
            f"nobody makes them again: {_names(lonely)}"
        )
    if there.claims:
        where = [f'"{claim}" (on "{node}")' for claim, node in there.claims.items()]
        yield (
            f'the data of {counted(len(where), "volume")} of the namespace "{namespace}" will be '
            f"lost: {_shortened(where)}"
        )


def _names(pods: Sequence[Pod]) -> str:
    return _shortened(
        [f'"{pod.metadata.name}" (on "{pod.spec.get("nodeName", "")}")' for pod in pods]
    )


def _shortened(words: Sequence[str]) -> str:
    rest = len(words) - SHOWN
    return ", ".join(words[:SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
