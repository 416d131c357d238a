"""Conditions: one of each type, in the order they came, each knowing since when it is so."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import TypeVar

import msgspec

from liqo.api.authentication import ResourceSliceCondition
from liqo.api.core import ForeignClusterCondition
from liqo.api.offloading import RemoteNamespaceCondition, VirtualNodeCondition

C = TypeVar(
    "C",
    ResourceSliceCondition,
    ForeignClusterCondition,
    RemoteNamespaceCondition,
    VirtualNodeCondition,
)


def with_condition(conditions: Sequence[C], new: C, now: datetime) -> tuple[C, ...]:
    """With this one, as of now; where it says what was said before, the old one stays.

    Of several of one type, which peers are known to write, the first counts and the others go.
    """
    old = find(conditions, new.type)
    if old is not None and says_the_same(old, new):
        new = old
    else:
        new = msgspec.structs.replace(new, last_transition_time=_timestamp(now))
    if old is None:
        return tuple(chain(conditions, (new,)))
    others = [each for each in conditions if each is old or each.type != new.type]
    return tuple(new if each is old else each for each in others)


def without(conditions: Sequence[C], condition_type: str) -> tuple[C, ...]:
    return tuple(each for each in conditions if each.type != condition_type)


def find(conditions: Sequence[C], condition_type: str) -> C | None:
    return next((each for each in conditions if each.type == condition_type), None)


def says_the_same(one: C, other: C) -> bool:
    """The time aside."""
    return (one.type, one.status, one.reason, one.message) == (
        other.type,
        other.status,
        other.reason,
        other.message,
    )


def _timestamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
