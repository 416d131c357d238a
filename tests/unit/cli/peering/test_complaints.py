"""The provider's complaint ends a wait that would be in vain."""

from __future__ import annotations

import asyncio

import pytest

from liqo.api.authentication import Tenant
from liqo.api.meta import JSON, Meta
from liqo.cli.peering.complaints import Complaint, heeded, newest
from liqo.errors import LiqoError
from tests.unit.cli.peering.pairs import THERE, an_object, scene
from tests.unit.kube.scripted import a_list, refuses

TENANT = Tenant(metadata=Meta(name="rome", namespace=THERE, uid="u"))


def an_event(reason: str, at: str) -> JSON:
    return an_object(reason, THERE, reason=reason, message="sign it again", lastTimestamp=at)


async def for_ever() -> None:
    await asyncio.Event().wait()


async def now() -> str:
    return "done"


async def test_the_newest_complaint_is_told() -> None:
    events = a_list(
        an_event("InvalidCSR", "2026-01-02"), an_event("Old", "2026-01-01"), version="1"
    )
    async with scene(milan=[events]) as world:
        with pytest.raises(LiqoError) as told:
            await heeded(world.pair.provider.cluster, TENANT, for_ever(), patience=0)
    assert str(told.value) == (
        'the Tenant "liqo-tenant-rome/rome" of the remote cluster is not admitted: '
        "InvalidCSR: sign it again"
    )
    assert "involvedObject.uid%3Du%2Ctype%3DWarning" in world.milan.asked[0].path


async def test_what_comes_in_time_is_taken_and_nobody_is_asked() -> None:
    async with scene() as world:
        assert await heeded(world.pair.provider.cluster, TENANT, now()) == "done"
    assert world.milan.asked == []


async def test_who_may_not_read_events_waits_on() -> None:
    async with scene(milan=[refuses(403)]) as world:
        waiting = heeded(world.pair.provider.cluster, TENANT, for_ever(), patience=0)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(waiting, 0.5)
    assert len(world.milan.asked) == 1


def test_a_complaint_without_a_time_is_the_oldest() -> None:
    timeless, dated = Complaint(reason="a"), Complaint(reason="b", last_timestamp="2026-01-01")
    assert newest([timeless, dated]) is dated
