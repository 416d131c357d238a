"""The playground's clusters as fixtures: shared ones that live for the whole run, and own ones."""

import os
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from liqo.playground.cluster import Site
from liqo.playground.layout import Options
from liqo.playground.playground import Playground


@pytest.fixture(scope="session")
async def cities() -> AsyncIterator[dict[str, Site]]:
    """Rome, the consumer, and Milan, the provider: two nodes each. Nobody breaks these."""
    playground = Playground(f"test-{os.getpid()}", print)
    try:
        made = await playground.up(["rome", "milan"], Options(workers=1, flat=True))
        yield {site.cluster.name: site for site in made}
    finally:
        await playground.down()


@pytest.fixture(scope="session")
def rome(cities: dict[str, Site]) -> Site:
    return cities["rome"]


@pytest.fixture(scope="session")
def milan(cities: dict[str, Site]) -> Site:
    return cities["milan"]


@pytest.fixture
async def namespace(rome: Site, milan: Site) -> AsyncIterator[str]:
    """A namespace of the test's own, in both."""
    name = f"test-{uuid4().hex[:8]}"
    for site in (rome, milan):
        await site.kubectl("create", "namespace", name)
    try:
        yield name
    finally:
        for site in (rome, milan):
            await site.kubectl("delete", "namespace", name, "--wait=false")


@pytest.fixture
async def own_playground() -> AsyncIterator[Playground]:
    """One that the test may break."""
    playground = Playground(f"own-{uuid4().hex[:8]}", print)
    try:
        yield playground
    finally:
        await playground.down()
