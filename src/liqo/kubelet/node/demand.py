"""Demand: what the pods of a node ask for, each by itself and all together.

Kept as they come and go. Whoever wants to know how much it is need not look at ten thousand pods
for it, which would hold up everything else for a third of a second.
"""

from __future__ import annotations

from liqo.api.kubernetes import Pod
from liqo.api.meta import Key
from liqo.api.sizes import size_of
from liqo.kube.likeness import Latest
from liqo.kubelet.pods.status import is_finished
from liqo.rules.fit import Bound
from liqo.rules.usage import Amounts, add, taken


class Demand:
    def __init__(self) -> None:
        self._bound: dict[Key, Bound] = {}  # without those that have finished
        self._total: dict[str, int] = {}
        self._sizes = Latest[Amounts]()  # most pods are as large as others

    def each(self) -> tuple[Bound, ...]:
        return tuple(self._bound.values())

    def total(self) -> Amounts:
        return dict(self._total)

    def follow(self, old: Pod | None, new: Pod | None) -> None:
        """A subscriber of the pods that are bound to the node."""
        told = new or old
        if told is None:
            return
        key = told.key
        if new is None or is_finished(new):
            self._set(key, None)
        elif old is None or key not in self._bound or not _asks_the_same(old, new):
            made = new.metadata.creation_timestamp or ""
            asked = taken(size_of(new.raw_spec))
            self._set(key, Bound(key, made, self._sizes.like(tuple(asked.items()), asked)))

    def _set(self, key: Key, bound: Bound | None) -> None:
        before = self._bound.pop(key, None)
        if before is not None:
            add(self._total, {name: -nano for name, nano in before.asked.items()})
        if bound is not None:
            self._bound[key] = bound
            add(self._total, bound.asked)


def _asks_the_same(old: Pod, new: Pod) -> bool:
    return old.metadata.uid == new.metadata.uid and old.raw_spec == new.raw_spec
