"""APIs that a program serves behind the API server: the kind that registers one."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from liqo.api.kubernetes import Decoded, undecoded
from liqo.api.meta import JSON, Kind, Resource


class APIService(Resource, frozen=True, kw_only=True, gc=False):
    KIND: ClassVar[Kind] = Kind(
        "apiregistration.k8s.io", "v1", "APIService", "apiservices", namespaced=False
    )

    raw_spec: msgspec.Raw = undecoded("spec")
    raw_status: msgspec.Raw = undecoded("status")

    spec = Decoded[JSON]("raw_spec")
    status = Decoded[JSON]("raw_status")
