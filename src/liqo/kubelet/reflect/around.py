"""What a decision about one object looks at beside that object and its copy."""

from __future__ import annotations

from dataclasses import dataclass

from liqo.api.kubernetes import Service


@dataclass(frozen=True)
class Around:
    service: Service | None = None  # whose endpoints these are
    nodes: frozenset[str] = frozenset()  # that stand for the provider
    is_mentioned: bool = False  # by a pod that goes to the provider


ALONE = Around()


def alone(_: object) -> Around:
    """Of most kinds an object says all that counts."""
    return ALONE
