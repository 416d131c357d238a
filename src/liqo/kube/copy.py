"""Copy: objects of one kind as we last knew them, and who wants to hear of their changes.

Controllers read one and need not know how it is kept: a Cache follows one scope, a Namespaced one
follows namespaces that come and go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeAlias

from liqo.api.meta import Key
from liqo.kube.indexes import Index
from liqo.kube.paths import Scope
from liqo.kube.reading import O, Reading

Subscriber: TypeAlias = Callable[[O | None, O | None], None]
"""(old, new); None: was not, is not. Without both: no object changed, but we may follow no more."""


class Copy(Protocol[O]):
    @property
    def reading(self) -> Reading[O]: ...
    @property
    def scope(self) -> Scope: ...

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[O]: ...
    def values(self) -> list[O]: ...
    def get(self, key: Key) -> O | None: ...
    def by(self, index: Index, value: str) -> list[O]: ...

    def chooses(self, key: Key) -> bool:
        """Whether an object of that key belongs in it, for certain."""

    def covers(self, key: Key) -> bool:
        """Whether an object that this copy does not hold is not there at all."""

    def is_unreadable(self, key: Key) -> bool:
        """Whether an object of that key is there which `get` does not give: nobody can read it."""

    def subscribe(self, subscriber: Subscriber[O]) -> Callable[[], None]:
        """Tell of every change from now on, and first of all that is there already.

        Gives back how to end it.
        """

    def take(self, written: O) -> None:
        """Use a write's answer as the newest copy, unless the watch has already told more."""

    @property
    def synced(self) -> bool: ...
    async def wait_synced(self) -> None: ...

    @property
    def forbidden(self) -> bool:
        """The API server does not let us follow now, at least in part."""

    @property
    def refused(self) -> bool:
        """That has lasted for a while: it means it."""

    def age(self) -> float:
        """Seconds since this copy was known to be current: up to 60 while nothing changes."""

    def age_of(self, key: Key) -> float:
        """The same of that part of it to which an object of that key belongs."""


class Followed(Copy[O], Protocol[O]):
    """A copy that is kept current while it runs."""

    @property
    def settled(self) -> bool:
        """Synced, or refused: waiting longer may be in vain."""

    async def wait_settled(self) -> None: ...
    async def run(self) -> None: ...
