"""Wait until objects are as one wants them, without asking again and again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from liqo.api.meta import Key
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Expired, KubeError
from liqo.kube.paths import Scope, named
from liqo.kube.reading import Bookmark, Change, Event, O, Reading, Unreadable

ASK_AGAIN = 1.0  # seconds, for who may read but not watch, and while there is no answer


async def until(
    cluster: Cluster,
    kind: type[O],
    key: Key,
    holds: Callable[[O], bool],
    seen: O | None = None,
) -> O:
    """The object, once that holds. Waits for ever: put `asyncio.timeout` around it.

    `seen` is what a write of it gave back: then nothing has to be read first.
    """
    if seen is not None and holds(seen):
        return seen
    async with aclosing(_looks(cluster, kind, named(key), seen)) as looks:
        async for found in looks:
            for each in filter(holds, found):
                return each
    raise AssertionError("looks do not end")


async def absent(cluster: Cluster, kind: type[O] | Reading[O], scope: Scope) -> None:
    """Return once there is none of them any more."""
    await until_all(cluster, kind, scope, lambda found: not found)


async def until_all(
    cluster: Cluster,
    kind: type[O] | Reading[O],
    scope: Scope,
    holds: Callable[[Sequence[O]], bool],
) -> list[O]:
    """What is there, once that holds of all of it together; for ever, if it never does."""
    async with aclosing(_looks(cluster, kind, scope)) as looks:
        async for found in looks:
            if holds(found):
                return found
    raise AssertionError("looks do not end")


async def _looks(
    cluster: Cluster, kind: type[O] | Reading[O], scope: Scope, seen: O | None = None
) -> AsyncGenerator[list[O]]:
    """What is there, at first and after every change. Only the first look may fail."""
    if seen is None:
        position, found = await _list(cluster, kind, scope)
        yield list(found.values())
    else:
        position, found = seen.metadata.resource_version, {seen.key: seen}
    while True:
        try:
            changes = cluster.watch(kind, scope=scope, resource_version=position)
            async with aclosing(changes):
                async for change in changes:
                    position = _note(found, change)
                    yield list(found.values())
            continue  # a watch ends after some minutes, and is resumed
        except Expired:
            pass
        except KubeError:
            await asyncio.sleep(ASK_AGAIN)
        try:
            position, found = await _list(cluster, kind, scope)
            yield list(found.values())
        except KubeError:
            await asyncio.sleep(ASK_AGAIN)


async def _list(
    cluster: Cluster, kind: type[O] | Reading[O], scope: Scope
) -> tuple[str, dict[Key, O]]:
    listing = await cluster.list(kind, scope=scope, resource_version="")
    return listing.resource_version, {each.key: each for each in listing.items}


def _note(found: dict[Key, O], change: Change[O]) -> str:
    """Do as the change says; gives back its version."""
    match change:
        case Bookmark():
            return change.resource_version
        case Unreadable():
            found.pop(change.key, None)
            return change.resource_version
        case Event("DELETED"):
            found.pop(change.object.key, None)
        case Event():
            found[change.object.key] = change.object
    return change.object.metadata.resource_version
