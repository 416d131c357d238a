"""What a kubelet is called, where it serves. Apart from all that needs cryptography."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Serving:
    """What a kubelet asks for: to be this node, at these addresses."""

    node: str
    addresses: frozenset[str]
