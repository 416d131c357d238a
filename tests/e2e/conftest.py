"""The playground's clusters as fixtures: shared ones that live for the whole run, and own ones."""

import os
from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import uuid4

import pytest

from liqo.cli.playground.installing import install_all
from liqo.playground.cluster import Site
from liqo.playground.layout import Options, Simulated
from liqo.playground.playground import Playground
from tests.audit import Audit
from tests.e2e import crowds
from tests.e2e.audited import JUDGE, read
from tests.e2e.controllers import Pair, both_installed

SIGNING = timedelta(hours=1)  # other than the usual
HASTE = ("controller-manager", "--horizontal-pod-autoscaler-sync-period=5s")
targets, crowd = crowds.targets, crowds.crowd


@pytest.fixture(scope="session")
def audit(pytestconfig: pytest.Config) -> Audit:
    """What our programs asked for, in all clusters that say so; judged when the run ends."""
    return pytestconfig.stash[JUDGE].audit


@pytest.fixture(scope="session")
async def cities(audit: Audit) -> AsyncIterator[dict[str, Site]]:
    """Rome, the consumer, and Milan, the provider: two nodes each. Nobody breaks these."""
    playground = Playground(f"test-{os.getpid()}", print)
    try:
        made = await playground.up(["rome", "milan"], Options(workers=1, flat=True, audit=True))
        yield {site.cluster.name: site for site in made}
        read(audit, made)
    finally:
        await playground.down()


@pytest.fixture(scope="session")
def rome(cities: dict[str, Site]) -> Site:
    return cities["rome"]


@pytest.fixture(scope="session")
def milan(cities: dict[str, Site]) -> Site:
    return cities["milan"]


@pytest.fixture(scope="session")
async def installed(audit: Audit) -> AsyncIterator[dict[str, Site]]:
    """Rome, Milan and Turin, others than the shared ones, with the product. Nobody uninstalls it.

    Not on the shared ones: there, tests run the controllers as processes beside the cluster.
    """
    playground = Playground(f"test-{os.getpid()}-installed", print)
    try:
        options = Options(flat=True, audit=True, flags=(HASTE,))
        made = await playground.up(["rome", "milan", "turin"], options)
        await install_all(made, print)
        yield {site.cluster.name: site for site in made}
        read(audit, made)
    finally:
        await playground.down()


@pytest.fixture(scope="module")
async def controlled(rome: Site, milan: Site) -> AsyncIterator[Pair]:
    """Both, with controllers beside them for all tests of a file."""
    async with both_installed(rome, milan) as pair:
        yield pair


@pytest.fixture
async def strangers(controlled: Pair) -> AsyncIterator[Pair]:
    """The same, without any peering before and after."""
    try:
        yield controlled
    finally:
        await controlled.part()


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


@pytest.fixture(scope="session")
async def breakable() -> AsyncIterator[list[Site]]:
    """Rome and Milan once more: the same addresses inside, and two simulated nodes each.

    Tests may break them, and mend them in the end.
    """
    playground = Playground(f"own-{uuid4().hex[:8]}", print)
    options = Options(
        pod_cidr="10.7.0.0/16",
        service_cidr="10.8.0.0/16",
        simulated=Simulated(count=2),
        signing_duration=f"{SIGNING.seconds}s",
        audit=True,
    )
    try:
        yield await playground.up(["rome", "milan"], options)
    finally:
        await playground.down()


@pytest.fixture
async def own_playground() -> AsyncIterator[Playground]:
    """One that the test may break."""
    playground = Playground(f"own-{uuid4().hex[:8]}", print)
    try:
        yield playground
    finally:
        await playground.down()
