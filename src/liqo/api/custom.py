"""Kinds that others defined and we know by name alone: what they say stays as it came."""

from __future__ import annotations

from functools import cache
from typing import ClassVar, cast

import msgspec

from liqo.api.kubernetes import Decoded, undecoded
from liqo.api.meta import JSON, Kind, Resource


class Custom(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind("", "", "", "")

    raw_spec: msgspec.Raw = undecoded("spec")
    raw_status: msgspec.Raw = undecoded("status")

    spec = Decoded[JSON]("raw_spec")
    status = Decoded[JSON]("raw_status")


@cache
def model_of(kind: Kind) -> type[Custom]:
    """The same for the same kind, whoever asks."""
    made = msgspec.defstruct(
        kind.name,
        [],
        bases=(Custom,),
        namespace={"KIND": kind},
        frozen=True,
        kw_only=True,
        gc=False,
    )
    return cast(type[Custom], made)
