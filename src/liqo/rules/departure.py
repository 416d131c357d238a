"""A virtual node that leaves: with its VirtualNode, or alone, because that wants no Node any more.

What is on it goes, and nothing new is sent out through it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from liqo.api import labels
from liqo.api.meta import Key
from liqo.api.offloading import VirtualNode

Fate: TypeAlias = Literal["stays", "waits", "goes"]
NEVER = "9999"  # is after all times


def is_leaving(node: VirtualNode) -> bool:
    return node.metadata.deletion_timestamp is not None or node.spec.create_node is False


def fate_of_map(leaving: VirtualNode, others: Iterable[VirtualNode]) -> Fate:
    """What becomes of the NamespaceMap of a provider when this one has nothing left but that.

    The first row that fits. With the map go the twins of all namespaces, and whatever is in them.

    others of that provider              | the map
    -------------------------------------+---------------------------------------------------
    one that is not being deleted        | stays: its pods need it
    one that was deleted after this one  | stays: that one takes it along
    one that was deleted before this one | waits for that one, which still has pods
    none, or such as we have let go      | goes

    Who was deleted last takes it along, and not who is the last to finish: of two that finish in
    the same moment, each would see the other and leave it to that one.
    """
    there = [other for other in others if not _is_let_go(other)]
    if any(_turn(other) > _turn(leaving) for other in there):
        return "stays"
    return "waits" if there else "goes"


def _is_let_go(node: VirtualNode) -> bool:
    known = node.metadata
    is_held = labels.VIRTUAL_NODE_FINALIZER in known.finalizers
    return known.deletion_timestamp is not None and not is_held


def _turn(node: VirtualNode) -> tuple[str, Key]:
    """Times are those of one API server, written alike, and in whole seconds."""
    return node.metadata.deletion_timestamp or NEVER, node.key
