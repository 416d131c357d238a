"""A peering on clusters where the product is installed, made and ended as people do it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import pytest

from liqo.api.meta import JSON
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.playground import links
from liqo.playground.cluster import Site
from liqo.playground.errors import PlaygroundError
from liqo.rules import names
from tests.e2e.controllers import forgotten, remove_tenants
from tests.e2e.eventually import eventually
from tests.e2e.installation import of
from tests.e2e.liqoctl import Ended, liqoctl
from tests.e2e.offloaded import condition
from tests.e2e.snapshot import alike, is_again, settled, snapshot

Result = TypeVar("Result")
Things = dict[str, JSON]
SLICES = "resourceslices.authentication.liqo.io"
PATIENTLY = "--timeout=5m"  # a namespace alone may take half of that to end (ENDING)


@dataclass(frozen=True)
class Loan:
    consumer: Site
    provider: Site

    @property
    def lender(self) -> str:
        """The provider's ID, which its slice, its node and their namespace are called after."""
        return self.provider.cluster.name

    @property
    def borrower(self) -> str:
        return self.consumer.cluster.name

    @property
    def here(self) -> str:
        """The tenant namespace on the consumer."""
        return names.tenant_namespace(self.lender)

    @property
    def there(self) -> str:
        return names.tenant_namespace(self.borrower)

    @property
    def both(self) -> tuple[str, ...]:
        return (of(self.consumer), f"--remote-kubeconfig={self.provider.kubeconfig}")

    @property
    def making(self) -> tuple[str, ...]:
        return ("peer", "--networking-disabled", *self.both)

    @property
    def ending(self) -> tuple[str, ...]:
        return ("unpeer", PATIENTLY, *self.both)

    async def peer(self, *words: str) -> Ended:
        return done(await liqoctl(*self.making, *words))

    async def unpeer(self, *words: str) -> Ended:
        return done(await liqoctl(*self.ending, *words))

    async def ask(self, name: str) -> Ended:
        """For one more slice."""
        words = ("create", "resourceslice", name, "--remote-cluster-id", self.lender)
        return done(await liqoctl(*words, of(self.consumer)))

    async def cut(self) -> None:
        await links.cut(self.consumer.layout, self.borrower, self.lender)

    async def heal(self) -> None:
        await links.heal(self.consumer.layout, self.borrower, self.lender)

    async def snapshots(self) -> list[Things]:
        return await at_once(snapshot(self.consumer), snapshot(self.provider))

    async def settled(self) -> list[Things]:
        """The same, once all that earlier tests began is over."""
        return await at_once(settled(self.consumer), settled(self.provider))

    async def made_since(self, before: Sequence[Things]) -> list[Things]:
        """On the consumer, and on the provider."""
        return made_between(before, await self.snapshots())

    async def is_as(self, before: Sequence[Things]) -> None:
        await is_again((self.consumer, self.provider), before)

    async def works(self) -> None:
        """It came to a node that is ready: nothing more is made for it."""
        node = f"node/{self.lender}"
        await eventually(partial(condition, self.consumer, node, "Ready"), is_="True")

    async def appears(self, node: str = "") -> None:
        """The slice became a VirtualNode here, and a Quota there."""
        name = node or self.lender
        for site, kind, namespace, wanted in (
            (self.consumer, "virtualnode", self.here, name),
            (self.provider, "quota", self.there, names.quota(name, self.borrower)),
        ):
            where = (f"{kind}s.offloading.liqo.io", wanted, "-n", namespace, "-o", "name")
            await eventually(partial(site.kubectl, "get", *where), bool)


@asynccontextmanager
async def parting(made: Loan) -> AsyncIterator[Loan]:
    """However far it came: nothing of it is left in the end."""
    try:
        yield made
    finally:
        await liqoctl(*made.ending, "--delete-namespaces")  # quicker than what follows
        await end_all((made.consumer, made.provider))


@pytest.fixture(scope="module")
async def loan(installed: dict[str, Site]) -> AsyncIterator[Loan]:
    """For all tests of a file: Rome may borrow from Milan, and has one slice already."""
    async with parting(Loan(installed["rome"], installed["milan"])) as made:
        await made.peer()
        yield made


def made_between(before: Sequence[Things], after: Sequence[Things]) -> list[Things]:
    """What came, or became another, in each cluster."""
    return [
        {name: alike(thing) for name, thing in new.items() if old.get(name) != thing}
        for old, new in zip(before, after, strict=True)
    ]


def done(ended: Ended) -> Ended:
    assert ended.code == 0, ended.stderr
    return ended


async def at_once(*works: Coroutine[Any, Any, Result]) -> list[Result]:
    """What goes wrong is told as if they were done one after the other."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work) for work in works]
    except ExceptionGroup as several:
        raise several.exceptions[0] from several
    return [task.result() for task in tasks]


async def end_all(sites: Iterable[Site]) -> None:
    """Whatever a test left of its peerings goes."""

    async def end(site: Site) -> None:
        async with Cluster(from_kubeconfig(str(site.kubeconfig))) as cluster:
            await remove_tenants(cluster)
            await forgotten(cluster)

    await at_once(*map(end, sites))


async def refusal(site: Site, *words: str, text: str = "") -> str:
    """Why kubectl was refused; it must be."""
    try:
        said = await site.kubectl(*words, text=text)
    except PlaygroundError as error:
        return str(error)
    raise AssertionError(f"not refused: {said}")
