"""A question of the API server and the possible answers, as values.

A review is a function from both a Request and a State to a verdict. What it knows of the cluster
was read for this very question: a copy that is a moment old would refuse a Tenant because its
namespace has just been made. Most kinds reviewed here change a few times per peering, so that a
question may cost a read; what is asked for every pod is answered from a copy where that is enough.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from liqo.api.meta import JSON, Key, Resource
from liqo.kube.paths import EVERYTHING, Scope
from liqo.kube.reading import Metadata, O, Reading
from liqo.rules import names

R = TypeVar("R", bound=Resource)
S = TypeVar("S")

BAD_REQUEST = 400
FORBIDDEN = 403


@dataclass(frozen=True)
class User:
    name: str
    groups: tuple[str, ...] = ()

    @property
    def is_control_plane(self) -> bool:
        """Of a peer: its replicator, or the person who peers."""
        return names.CONTROL_PLANES in self.groups

    @property
    def is_peer(self) -> bool:
        """Whoever has a credential that this cluster made for a peer."""
        *account, name = self.name.split(":")
        ours = account == [] or account[:2] == ["system", "serviceaccount"]
        return self.is_control_plane or (ours and name.startswith(names.PEER_ACCOUNT))


@dataclass(frozen=True)
class Request(Generic[R]):
    operation: str  # CREATE, UPDATE or DELETE
    user: User
    object: R  # of a DELETE: what is stored
    old: R | None = None  # what is stored now
    subresource: str = ""
    is_dry_run: bool = False  # nothing of it will be stored

    @property
    def is_creation(self) -> bool:
        return self.operation == "CREATE"


@dataclass(frozen=True)
class Allow:
    warnings: tuple[str, ...] = ()  # for whoever asked


@dataclass(frozen=True)
class Deny:
    reason: str  # a sentence for whoever asked
    code: int = FORBIDDEN


@dataclass(frozen=True)
class Patch:
    """Allowed, with these changes: a merge patch (RFC 7396)."""

    change: JSON


Verdict: TypeAlias = Allow | Deny | Patch
ALLOW = Allow()


class Reader(Protocol):
    """The cluster as it is now."""

    async def find(self, kind: type[O] | Reading[O], key: Key) -> O | None: ...

    async def every(self, kind: type[O] | Reading[O], scope: Scope = EVERYTHING) -> Sequence[O]: ...


Known: TypeAlias = Callable[[Key], Metadata | None]
"""What a copy, perhaps a moment old, has under that key."""


@dataclass(frozen=True)
class Review(Generic[R, S]):
    """How questions about one kind, at one path, are answered."""

    kind: type[R]
    observe: Callable[[Reader, Request[R]], Awaitable[S]]
    review: Callable[[Request[R], S], Verdict]
    # Before it is allowed, which this may still refuse.
    first: Callable[[Request[R]], Awaitable[Deny | None]] | None = None


async def nothing(_: Reader, __: Request[Any]) -> None:
    """The State of a review that needs none."""


def completed(change: JSON) -> Allow | Patch:
    """Without the parts that change nothing."""
    said = {name: value for name, value in change.items() if value not in ({}, None)}
    return Patch(said) if said else ALLOW


def operations(before: JSON, change: JSON, path: str = "") -> Iterator[JSON]:
    """A merge patch as a JSON patch (RFC 6902), the only form that an API server takes here."""
    for name, value in change.items():
        here = f"{path}/{name.replace('~', '~0').replace('/', '~1')}"
        inner = before.get(name)
        if isinstance(value, dict) and isinstance(inner, dict):
            yield from operations(inner, value, here)
        elif value is not None:
            yield {"op": "add", "path": here, "value": value}
        elif name in before:
            yield {"op": "remove", "path": here}
