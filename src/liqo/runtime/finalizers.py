"""Finalizers: an object is not gone before everybody who had to do with it let go."""

from __future__ import annotations

from collections.abc import Iterator

from liqo.api.meta import Resource
from liqo.runtime.plan import Patch


def with_finalizer(seen: Resource, finalizer: str) -> Iterator[Patch]:
    if finalizer not in seen.metadata.finalizers:
        yield _patch(seen, (*seen.metadata.finalizers, finalizer))


def without_finalizer(seen: Resource, finalizer: str) -> Iterator[Patch]:
    if finalizer in seen.metadata.finalizers:
        yield _patch(seen, tuple(each for each in seen.metadata.finalizers if each != finalizer))


def without_strangers(seen: Resource, ours: str = "") -> Iterator[Patch]:
    """Nobody else holds it any longer; without a finalizer of ours, nobody at all."""
    kept = tuple(each for each in seen.metadata.finalizers if each == ours)
    if kept != seen.metadata.finalizers:
        yield _patch(seen, kept)


def _patch(seen: Resource, finalizers: tuple[str, ...]) -> Patch:
    """The whole list, so only if nobody has changed it meanwhile."""
    change = {"metadata": {"finalizers": list(finalizers) or None}}
    return Patch(seen, change, only_if_unchanged=True)
