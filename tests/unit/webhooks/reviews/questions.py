"""Questions for reviews, and a cluster that answers what they look up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from msgspec.structs import replace

from liqo.api.authentication import ResourceSlice
from liqo.api.meta import Key, Kind, Meta, Resource
from liqo.kube.errors import Forbidden
from liqo.kube.paths import EVERYTHING, Scope
from liqo.kube.reading import O, Reading, reading
from liqo.webhooks.review import Request, User

R = TypeVar("R", bound=Resource)

ADMIN = User("jane", ("system:masters",))
CONTROL_PLANE = User("rome", ("liqo.io",))
PEERING_USER = User("liqo-peer-user-rome-0123", ("liqo.io",))


def creation(thing: R, user: User = ADMIN) -> Request[R]:
    return Request("CREATE", user, thing)


def update(old: R, new: R, user: User = ADMIN) -> Request[R]:
    return Request("UPDATE", user, new, old)


@dataclass
class Told:
    """A Reader of what it was told; of some kinds it may not read anything."""

    things: Sequence[Resource] = ()
    forbidden: frozenset[Kind] = frozenset()
    scopes: list[tuple[Kind, Scope]] = field(default_factory=list)

    async def find(self, kind: type[O] | Reading[O], key: Key) -> O | None:
        return next((each for each in self._of(kind) if each.key == key), None)

    async def every(self, kind: type[O] | Reading[O], scope: Scope = EVERYTHING) -> Sequence[O]:
        self.scopes.append((reading(kind).kind, scope))
        return self._of(kind)

    def _of(self, kind: type[O] | Reading[O]) -> list[O]:
        wanted = reading(kind)
        if wanted.kind in self.forbidden:
            raise Forbidden("you may not")
        found = [each for each in self.things if wanted.kind == each.KIND]
        if wanted.metadata_only:
            return [wanted.model(metadata=each.metadata) for each in found]
        return [each for each in found if isinstance(each, wanted.model)]


def changed(asked: ResourceSlice, **fields: Any) -> ResourceSlice:
    """With other metadata, or another spec, by the name of the field."""
    ours = {name: value for name, value in fields.items() if name in Meta.__struct_fields__}
    rest = {name: value for name, value in fields.items() if name not in ours}
    return replace(
        asked, metadata=replace(asked.metadata, **ours), spec=replace(asked.spec, **rest)
    )
