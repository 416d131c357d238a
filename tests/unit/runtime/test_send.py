"""How requests reach an API server, and when they do not."""

from __future__ import annotations

import msgspec
import pytest

from liqo.api.kubernetes import Pod
from liqo.kube.cache import Caches
from liqo.kube.errors import Conflict, Invalid, Throttled
from liqo.runtime.errors import NotLeading
from liqo.runtime.pace import START
from liqo.runtime.plan import Apply, Create, Delete, Evict, Manifest, Patch, PatchStatus, identity
from liqo.runtime.requests import Write, request_for
from liqo.runtime.send import MARGIN, Sender
from tests.unit.kube.scripted import refuses, says
from tests.unit.runtime.sites import a_site
from tests.unit.runtime.things import Spec, Thing, a_pod, a_thing

POD = a_pod()
PATH = "/api/v1/namespaces/rome/pods/web"
THINGS = "/apis/test.liqo.io/v1/namespaces/rome/things"
OURS = Apply(Thing(metadata=identity(POD), spec=Spec(size=3)))


def a_sender(caches: Caches, left: float = float("inf")) -> Sender:
    return Sender({"local": caches.cluster}, lambda: left)


async def send(sender: Sender, action: Write) -> object:
    return await sender.send(request_for(action), "tests/thing")


@pytest.mark.parametrize(
    ("action", "line", "content_type"),
    [
        (
            Apply(a_thing(), subresource="status"),
            f"PATCH {THINGS}/web/status?fieldManager=tests%2Fthing&force=true",
            "application/apply-patch+yaml",
        ),
        (Create(a_thing()), f"POST {THINGS}?fieldManager=tests%2Fthing", "application/json"),
        (
            Patch(POD, {}, form="strategic"),
            f"PATCH {PATH}?fieldManager=tests%2Fthing",
            "application/strategic-merge-patch+json",
        ),
        (
            PatchStatus(POD, {}),
            f"PATCH {PATH}/status?fieldManager=tests%2Fthing",
            "application/merge-patch+json",
        ),
        (Delete(POD), f"DELETE {PATH}", "application/json"),
        (Evict(POD), f"POST {PATH}/eviction", "application/json"),
    ],
)
async def test_every_request_goes_its_way(action: Write, line: str, content_type: str) -> None:
    async with a_site(says({"metadata": {}})) as (caches, server):
        answer = await send(a_sender(caches), action)
        [asked] = server.asked
        assert f"{asked.method} {asked.path}" == line
        assert asked.headers["content-type"] == content_type
        assert answer == (None if isinstance(action, Delete | Evict) else {"metadata": {}})


async def test_a_deletion_names_the_uid_and_how_soon() -> None:
    async with a_site(says({})) as (caches, server):
        await send(a_sender(caches), Delete(POD, grace=0, propagation="Foreground"))
        body = msgspec.json.decode(server.asked[0].body)
    assert body["preconditions"] == {"uid": "pod-1"}
    assert (body["gracePeriodSeconds"], body["propagationPolicy"]) == (0, "Foreground")


async def test_a_deletion_may_name_the_version() -> None:
    async with a_site(says({})) as (caches, server):
        seen = a_pod(resource_version="7")
        await send(a_sender(caches), Delete(seen, only_if_unchanged=True))
        body = msgspec.json.decode(server.asked[0].body)
    assert body["preconditions"] == {"uid": "pod-1", "resourceVersion": "7"}


@pytest.mark.parametrize("action", [Delete(POD), Evict(POD)])
async def test_nothing_is_sent_when_the_lease_is_about_to_end(action: Write) -> None:
    async with a_site() as (caches, server):
        with pytest.raises(NotLeading):
            await send(a_sender(caches, left=MARGIN - 0.1), action)
        assert server.asked == []


async def test_an_apply_to_an_object_that_is_another_by_now_is_a_conflict() -> None:
    immutable = refuses(422, 'Thing "web" is invalid: metadata.uid: field is immutable')
    async with a_site(immutable) as (caches, _):
        with pytest.raises(Conflict):
            await send(a_sender(caches), OURS)


async def test_what_is_wrong_in_another_way_stays_wrong() -> None:
    async with a_site(refuses(422, "spec.size: too large"), refuses(422)) as (caches, _):
        sender = a_sender(caches)
        for action in (OURS, Create(Manifest(Pod.KIND, {"metadata": {}}))):
            with pytest.raises(Invalid):
                await send(sender, action)


async def test_a_disruption_budget_does_not_slow_down_the_rest() -> None:
    async with a_site(*[refuses(429)] * 5) as (caches, _):
        sender = a_sender(caches)
        for _ in range(5):
            with pytest.raises(Throttled):
                await send(sender, Evict(POD))
        assert sender.paces["local"].limit == START
