"""Platform: what pods of consumers run on here, as the labels of a node say it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from liqo.api.authentication import ResourceSlice
from liqo.api.kubernetes import Node
from liqo.api.meta import Key, Resource
from liqo.kube.cache import Cache, Caches
from liqo.kube.reading import Metadata, metadata
from liqo.provider.watched import PHYSICAL_NODES

LABELS = ("kubernetes.io/arch", "kubernetes.io/os")


def nodes(here: Caches) -> Cache[Metadata]:
    return here.of(metadata(Node), PHYSICAL_NODES)


def observe(here: Caches) -> dict[str, str]:
    return prevailing(node.metadata.labels for node in nodes(here))


def prevailing(nodes: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """What most of them have; of two that are as frequent, the first in the alphabet."""
    counts = Counter(tuple(found.items()) for marks in nodes if (found := platform_of(marks)))
    by_number = sorted(counts, key=lambda each: (-counts[each], each))
    return dict(by_number[0]) if by_number else {}


def platform_of(marks: Mapping[str, str]) -> dict[str, str]:
    return {name: marks[name] for name in LABELS if name in marks}


def slices_that_say_otherwise(here: Caches) -> Callable[[Resource], list[Key]]:
    """Nodes tell every few minutes that they live: mostly that changes nothing."""

    def slices(node: Resource) -> list[Key]:
        found = platform_of(node.metadata.labels)
        return [
            asked.key
            for asked in here.of(ResourceSlice)
            if asked.received and platform_of(asked.status.node_labels) != found
        ]

    return slices
