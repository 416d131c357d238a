"""Watches both clusters of a peering from the side, and says what must not have happened.

    async with Observer(rome, milan, {"shop": "shop-rome"}) as seen:
        ...                    # pods come and go, things break
        await seen.settled()   # both clusters agree
        seen.check()           # and nothing was lost or done twice on the way

Bare pods of those namespaces end only when the test says so: `seen.take(uid)`, before it deletes
one or takes its namespace back; the same for a remote pod or a ShadowPod, which may then be made a
second time. It looks at the pods of one virtual node: that which has its provider's name, or
another. What comes and goes while its API server is down or cut off from us stays unseen.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

from liqo.api import labels
from liqo.api.kubernetes import Pod, Secret
from liqo.api.meta import Kind, Resource
from liqo.api.offloading import ShadowPod
from liqo.kube.cache import Cache, Caches
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.kube.paths import Scope
from liqo.kube.reading import metadata
from liqo.playground.cluster import Site
from liqo.runtime.pace import IMPATIENT
from tests.e2e.eventually import eventually
from tests.invariants import History, Wrong, disagreements, sight, violations

SHOWN = 20  # sentences of a failure: five thousand pods that are wrong are wrong alike


class Observer:
    def __init__(
        self, consumer: Site, provider: Site, namespaces: Mapping[str, str], node: str = ""
    ) -> None:
        """`namespaces`: those of the consumer, and what they are called on the provider."""
        self.history = History(consumer.cluster.name, provider.cluster.name)
        self._sites = consumer, provider
        self._node = node or provider.cluster.name
        self._namespaces = namespaces
        self._open = AsyncExitStack()
        self._followed: list[tuple[Cluster, Cache[Any]]] = []

    async def __aenter__(self) -> Observer:
        here, there = [await self._enter(site) for site in self._sites]
        node, mine = self._node, labels.NODE_NAME
        for local, remote in self._namespaces.items():
            self._follow(here, here.of(Pod, Scope(local, fields=f"spec.nodeName={node}")))
            self._follow(there, there.of(Pod, Scope(remote, f"{mine}={node}")))
            self._follow(there, there.of(ShadowPod, Scope(remote, f"{mine}={node}")))
            self._follow(there, there.of(metadata(Secret), Scope(remote, f"{mine}={node}")))
        group = await self._open.enter_async_context(asyncio.TaskGroup())
        for caches in (here, there):
            self._open.callback(group.create_task(caches.run()).cancel)
        for caches in (here, there):
            await caches.wait_synced()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._open.aclose()

    def take(self, *uids: str) -> None:
        """The test itself takes these away."""
        self.history.taken.update(uids)

    def phases(self) -> Counter[str]:
        """Of the local pods that are there."""
        here = self.history.here.values()
        return Counter(life.last.phase or "Pending" for life in here if life.is_live)

    def names(self, phase: str) -> set[str]:
        """Of the local pods that are in this phase."""
        here = self.history.here.values()
        return {life.last.key.name for life in here if life.is_live and life.last.phase == phase}

    def versions(self) -> dict[str, str]:
        """Of all that is there, by uid: what was not written has kept its own."""
        return {life.last.uid: life.last.version for life in self.history.live()}

    async def reach(self, within: float = 120, **phases: int) -> None:
        """Wait until the local pods are in these phases, and there are no others."""

        async def seen() -> Counter[str]:
            return self.phases()

        await eventually(seen, is_=Counter(phases), within=within)

    async def settled(self, within: float = 120) -> None:
        """Wait until both clusters agree, and are as we saw them."""

        async def wrong() -> list[str]:
            found = _sentences(disagreements(self.history))
            return found or [f"{cache} is not what we saw" async for cache in self._stale()]

        await eventually(wrong, is_=[], within=within)

    def check(self) -> None:
        found = [*violations(self.history), *disagreements(self.history)]
        if found:
            first = self.history.story(found[0].of)
            raise AssertionError("\n".join((*_sentences(found), "the first of them:", *first)))

    async def _enter(self, site: Site) -> Caches:
        access = from_kubeconfig(str(site.kubeconfig))
        cluster = Cluster(access, name=site.cluster.name, agent="observer", limits=IMPATIENT)
        return Caches(await self._open.enter_async_context(cluster))

    def _follow(self, caches: Caches, cache: Cache[Any]) -> None:
        self._followed.append((caches.cluster, cache))
        cache.subscribe(self._noting(caches.cluster.name, cache.reading.kind))

    def _noting(
        self, cluster: str, kind: Kind
    ) -> Callable[[Resource | None, Resource | None], None]:
        def note(old: Resource | None, new: Resource | None) -> None:
            if old is not None and (new is None or new.metadata.uid != old.metadata.uid):
                self.history.note(replace(sight(cluster, kind, old), is_gone=True))
            if new is not None:
                self.history.note(sight(cluster, kind, new))

        return note

    async def _stale(self) -> AsyncIterator[Cache[Any]]:
        """Copies that differ from what their API server says now."""
        for cluster, cache in self._followed:
            fresh = await cluster.list(cache.reading, scope=cache.scope, resource_version="")
            if _versions(fresh.items) != _versions(cache):
                yield cache


def _versions(things: Iterable[Resource]) -> dict[str, str]:
    return {thing.metadata.uid: thing.metadata.resource_version for thing in things}


def _sentences(found: Sequence[Wrong]) -> list[str]:
    shown = [wrong.sentence for wrong in found[:SHOWN]]
    more = len(found) - len(shown)
    return [*shown, f"and {more} more"] if more else shown
