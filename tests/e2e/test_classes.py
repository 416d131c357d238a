"""Classes of a provider's own: the template grants what it says, and nobody's class is denied."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from liqo.api.authentication import ResourceSlice, ResourceSliceCondition
from liqo.api.offloading import Quota, VirtualNode
from liqo.playground.cluster import Site
from liqo.playground.images import product
from liqo.rules import conditions, names
from tests.e2e.controllers import Pair
from tests.e2e.eventually import eventually
from tests.e2e.peering import Peering, Side, ask, authenticate

CHECKOUT = Path(__file__).parents[2]
TEMPLATE = str(CHECKOUT / "examples/resourceslice-class")
HALF = {"cpu": "2", "memory": "4Gi", "pods": "10"}


@pytest.fixture
async def peering(strangers: Pair) -> Peering:
    await authenticate(strangers.peering)
    return strangers.peering


@asynccontextmanager
async def the_template(milan: Site) -> AsyncIterator[None]:
    """As its README says: in the cluster, with its own rights."""
    await milan.load(await product(CHECKOUT, print))
    await milan.kubectl("apply", "--kustomize", TEMPLATE)
    try:
        yield
    finally:
        await milan.kubectl("delete", "--ignore-not-found", "--kustomize", TEMPLATE)


async def resources(side: Side, namespace: str, name: str) -> ResourceSliceCondition | None:
    found = await side.find(ResourceSlice, namespace, name)
    return conditions.find(found.status.conditions, "Resources") if found is not None else None


async def granted(side: Side, kind: type[Quota | VirtualNode], namespace: str, name: str) -> object:
    found = await side.find(kind, namespace, name)
    if isinstance(found, Quota):
        return found.spec.resources
    return found.spec.resource_quota.hard if isinstance(found, VirtualNode) else None


def is_denied(seen: ResourceSliceCondition | None) -> bool:
    return seen is not None and seen.status == "Denied"


def is_answered_with_no(seen: ResourceSliceCondition | None) -> bool:
    """By whoever the class is of: it may be slow, and then nobody is said to answer for it."""
    return seen is not None and is_denied(seen) and seen.reason != "NoClassController"


def is_accepted(seen: ResourceSliceCondition | None) -> bool:
    return seen is not None and seen.status == "Accepted"


@pytest.mark.row("C17")
@pytest.mark.part_of_row("C16")
async def test_the_template_runs_as_it_is_and_quota_and_virtual_node_follow_it(
    peering: Peering, milan: Site
) -> None:
    consumer, provider = peering.consumer, peering.provider
    await ask(peering, "early", "half", cpu="4", memory="8Gi", pods="20")
    early = partial(resources, consumer, peering.here, "early")
    denied = await eventually(early, is_denied, within=90)
    assert denied is not None
    assert denied.reason == "NoClassController"
    assert '"half"' in denied.message
    async with the_template(milan):
        await eventually(early, is_accepted, within=180)
        seen = await consumer.find(ResourceSlice, peering.here, "early")
        assert seen is not None
        assert seen.status.resources == HALF
        user = names.quota("early", "rome")
        await eventually(partial(granted, provider, Quota, peering.there, user), is_=HALF)
        await eventually(partial(granted, consumer, VirtualNode, peering.here, "early"), is_=HALF)
        await ask(peering, "nothing", "half")
        nothing = partial(resources, consumer, peering.here, "nothing")
        refused = await eventually(nothing, is_answered_with_no, within=90)
        assert refused is not None
        assert refused.message == "say how much you need: this class has no defaults"
