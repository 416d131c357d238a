"""`up --install`: the product, built from this checkout, in every cluster of the playground."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

from liqo.api import labels
from liqo.errors import LiqoError
from liqo.install import applying, checks
from liqo.install.providers import PROVIDERS
from liqo.install.render import render
from liqo.install.surroundings import look
from liqo.install.wish import ID, LABELS, Place, Wish, settle
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.playground import images, machine
from liqo.playground.cluster import Site

CHECKOUT = Path(__file__).parents[4]
ARCHIVE = CHECKOUT / "build" / "liqo.tar"
REGIONS = {"venice": "north", "florence": "center", "naples": "south"}  # of the tutorial
TIMEOUT = 180.0  # seconds: three clusters side by side on two busy cores need one minute
Say = Callable[[str], None]


async def product(say: Say) -> Path:
    """The archive with the product's image."""
    await machine.prepare(say, images=True)
    return await images.product(CHECKOUT, say)


async def install_all(sites: Sequence[Site], say: Say) -> None:
    archive = await product(say)
    async with asyncio.TaskGroup() as tasks:
        for site in sites:
            tasks.create_task(install(site, archive, region(site.cluster.name), say))


def region(name: str) -> Mapping[str, str]:
    return {labels.REGION: REGIONS[name]} if name in REGIONS else {}


async def install(site: Site, archive: Path, cluster_labels: Mapping[str, str], say: Say) -> None:
    """On one cluster; its ID is its name. On one that has it already, nothing changes."""
    name = site.cluster.name
    await site.load(archive)
    # One webhook: a playground is one machine, and has no second that could stay when it goes.
    flags = {
        ID: name,
        LABELS: dict(cluster_labels),
        "tag": fingerprint(archive),
        "webhook.replicas": 1,
    }
    wish = Wish("playground", flags=flags)
    async with Cluster(from_kubeconfig(str(site.kubeconfig)), name=name) as cluster:
        facts, seen = await PROVIDERS["playground"](cluster), await look(cluster, wish.namespace)
        settings = settle(
            wish, Place(facts, seen, cluster.access.server), metadata.version("liqo"), lambda: name
        )
        for wrong in (*checks.refusals(settings, seen), *checks.problems(settings, seen)):
            raise LiqoError(wrong)

        @contextmanager
        def step(doing: str) -> Iterator[None]:
            say(f"{name}: {doing[:1].lower()}{doing[1:]}")
            yield

        await applying.installed(cluster, render(settings), TIMEOUT, step)
    say(f'{name}: Liqo runs, with the cluster ID "{name}"')


def fingerprint(archive: Path) -> str:
    """The tag that follows every change of the code, so that a change rolls the Deployments."""
    return max((name.rpartition(":")[2] for name in images.names(archive)), key=len)
