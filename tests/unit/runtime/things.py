"""Objects for the tests of the runtime: a kind of our own, and pods."""

from typing import Any, ClassVar

import msgspec

from liqo.api.kubernetes import Pod
from liqo.api.meta import Key, Kind, Meta, Model, Resource

KEY = Key("rome", "web")


class Spec(Model, frozen=True):
    size: int = 0


class Status(Model, frozen=True):
    phase: str = ""


class Thing(Resource, frozen=True):
    KIND: ClassVar[Kind] = Kind("test.liqo.io", "v1", "Thing", "things")

    spec: Spec = Spec()
    status: Status = Status()


def a_thing(size: int = 0, phase: str = "", **metadata: Any) -> Thing:
    meta = Meta(**{"name": KEY.name, "namespace": KEY.namespace, **metadata})
    if not phase:
        return Thing(metadata=meta, spec=Spec(size=size))
    return Thing(metadata=meta, spec=Spec(size=size), status=Status(phase=phase))


def a_pod(**metadata: Any) -> Pod:
    meta = Meta(**{"name": KEY.name, "namespace": KEY.namespace, "uid": "pod-1", **metadata})
    return Pod(metadata=meta, raw_spec=msgspec.Raw(b'{"nodeName":"milan"}'))
