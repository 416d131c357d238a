"""Ways to find objects in a cache other than by their key.

An index is anything hashable that can be called with an object and gives the values it is
found under.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from liqo.api.kubernetes import Pod
from liqo.api.meta import Resource
from liqo.api.sizes import Binding, BoundPod

Index: TypeAlias = Callable[[Resource], Iterable[str]]


def owner(found: Resource) -> Iterable[str]:
    """The uid of each owner."""
    return [reference.uid for reference in found.metadata.owner_references]


def namespace(found: Resource) -> Iterable[str]:
    return (found.metadata.namespace,)


@dataclass(frozen=True)
class Label:
    """The value of one label: `cache.by(Label("app"), "web")`."""

    name: str

    def __call__(self, found: Resource) -> Iterable[str]:
        value = found.metadata.labels.get(self.name)
        return () if value is None else (value,)


_bound = msgspec.json.Decoder(Binding)


def node(found: Resource) -> Iterable[str]:
    """The node that a pod is bound to; reads that one field and skips the rest."""
    match found:
        case Pod():
            name = _bound.decode(found.raw_spec).node_name
        case BoundPod():
            name = found.spec.node_name
        case _:
            name = ""
    return (name,) if name else ()
