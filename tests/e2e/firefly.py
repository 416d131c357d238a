"""The two clusters of the seed S0, and `liqoctl` as a person calls it on them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from liqo.api import labels
from liqo.playground.cluster import Site
from tests.e2e.controllers import installed
from tests.e2e.liqoctl import Ended, liqoctl
from tests.e2e.peering import Side

CONSUMER = "wispy-firefly"
PROVIDER = "cool-firefly"
KUBEADM = f"{labels.PROVIDER}=kubeadm"
AGE = re.compile(r"(\d+[dhms])+")


@dataclass(frozen=True)
class City:
    """A cluster, with what a person has there: kubectl, liqoctl and a kubeconfig."""

    site: Site
    side: Side

    async def kubectl(self, *words: str, text: str = "") -> str:
        return await self.site.kubectl(*words, text=text)

    async def table(self, *words: str) -> tuple[list[str], list[list[str]]]:
        """The headings of what `kubectl get` prints, and its rows, without their ages."""
        lines = (await self.kubectl("get", *words)).splitlines()
        starts = [0, *(at for at in range(1, len(lines[0])) if _begins(lines, at))]
        headings, *rows = [[line[a:b].strip() for a, b in _spans(starts)] for line in lines]
        assert all(AGE.fullmatch(row[-1]) for row in rows), rows
        return headings, [row[:-1] for row in rows]

    async def liqoctl(self, words: str, *more: str, kubeconfig: Path | None = None) -> Ended:
        chosen = {"KUBECONFIG": str(kubeconfig or self.site.kubeconfig)}
        return await liqoctl(*words.split(), *more, environment=chosen)

    async def answer(self, words: str, *more: str) -> str:
        """What a call that goes well prints on stdout."""
        said = await self.liqoctl(words, *more)
        assert said.code == 0, said
        return said.stdout


@dataclass(frozen=True)
class World:
    consumer: City
    provider: City


@asynccontextmanager
async def fireflies(rome: Site, milan: Site) -> AsyncIterator[World]:
    """Rome as the consumer of S0 and Milan as its provider: installed, and strangers so far."""
    async with (
        installed(milan, cluster_id=PROVIDER, cluster_labels=KUBEADM) as (provider, _),
        installed(rome, cluster_id=CONSUMER) as (consumer, _),
    ):
        yield World(City(rome, consumer), City(milan, provider))


def _begins(lines: Sequence[str], at: int) -> bool:
    """A column starts where a heading starts after two spaces or more."""
    heading = lines[0]
    return heading[at] != " " and heading[at - 2 : at] == "  "


def _spans(starts: Sequence[int]) -> list[tuple[int, int | None]]:
    return list(zip(starts, [*starts[1:], None], strict=True))
