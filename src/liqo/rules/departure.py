"""A virtual node that leaves: with its VirtualNode, or alone, because that wants no Node any more.

What is on it goes, and nothing new is sent out through it.
"""

from __future__ import annotations

from liqo.api.offloading import VirtualNode


def is_leaving(node: VirtualNode) -> bool:
    return node.metadata.deletion_timestamp is not None or node.spec.create_node is False
