"""What objects have in common, kept once: thousands of pods have the same labels, and most the same
spec as the pod before them."""

from __future__ import annotations

import sys
from collections.abc import Callable

import msgspec
from msgspec.structs import force_setattr

from liqo.api.meta import Meta

REMEMBERED = 64  # specs: as many workloads may grow at a time
LONGEST = 8 * 1024  # bytes of one: what is remembered in vain is half a megabyte at most


def share_words(meta: Meta) -> None:
    """Of annotations the names alone: what they say is of one object."""
    force_setattr(meta, "namespace", _word(meta.namespace))
    if meta.labels:
        shared = {sys.intern(name): _word(value) for name, value in meta.labels.items()}
        force_setattr(meta, "labels", shared)
    if meta.annotations:
        named = {sys.intern(name): value for name, value in meta.annotations.items()}
        force_setattr(meta, "annotations", named)


def sharing(version: tuple[int, int]) -> Callable[[str], str]:
    """What makes one word of equal ones, in that version of Python.

    3.12 never forgets what it was told to share. Names of labels are few, but what comes and goes,
    as namespaces do and what labels say, would fill its memory: there everybody has a copy.
    """
    return str if version == (3, 12) else sys.intern


_word = sharing(sys.version_info[:2])


class Latest:
    """Of equal bytes one copy, as long as it is among the latest that were seen."""

    def __init__(self) -> None:
        self._seen: dict[bytes, msgspec.Raw] = {}  # the oldest first

    def __len__(self) -> int:
        return len(self._seen)

    def copy(self, raw: msgspec.Raw) -> msgspec.Raw:
        """One that owns its bytes, together with its like."""
        body = bytes(raw)
        known = self._seen.pop(body, None)
        if known is None:
            known = msgspec.Raw(body)
        if len(body) <= LONGEST:
            self._seen[body] = known
            if len(self._seen) > REMEMBERED:
                del self._seen[next(iter(self._seen))]
        return known
