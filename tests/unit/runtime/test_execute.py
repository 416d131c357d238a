"""Plans are carried out, and nothing is written twice without need."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from liqo.api.kubernetes import ConfigMap, Pod, Secret
from liqo.api.meta import JSON, Key, Meta
from liqo.kube.cache import Caches
from liqo.kube.errors import Conflict, Forbidden, NotFound, ServerFault
from liqo.runtime.execute import Author, Executor
from liqo.runtime.plan import (
    Action,
    Apply,
    Create,
    Delete,
    Evict,
    Manifest,
    MintToken,
    Occurrence,
    Patch,
    Record,
    WantedToken,
    do,
)
from tests.unit.kube.scripted import Scripted, refuses, says
from tests.unit.runtime.sites import a_site
from tests.unit.runtime.things import a_pod

AUTHOR = Author("provider/quota", "provider/quota")
KEY = Key("shop", "a")
NOW = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


def a_config(version: str, **data: str) -> JSON:
    metadata = {"name": "a", "namespace": "shop", "uid": "1", "resourceVersion": version}
    return {"metadata": metadata, "data": data}


def wanted(**data: str) -> Manifest:
    return Manifest(ConfigMap.KIND, {"metadata": {"name": "a", "namespace": "shop"}, "data": data})


def observed(caches: Caches) -> ConfigMap:
    found = caches.of(ConfigMap).get(KEY)
    assert found is not None
    return found


def an_executor(caches: Caches) -> Executor:
    return Executor({"local": caches, "remote": caches}, wall=lambda: NOW)


async def execute(executor: Executor, *actions: Action) -> None:
    await executor.execute(AUTHOR, do(*actions))


def requests(server: Scripted) -> list[str]:
    return [f"{asked.method} {asked.path}" for asked in server.asked]


async def test_an_answer_is_the_newest_copy_and_the_same_wish_is_not_sent_again() -> None:
    async with a_site(says(a_config("7", x="1"))) as (caches, server):
        executor = an_executor(caches)
        with capture_logs() as logs:
            await execute(executor, Apply(wanted(x="1")))
            await execute(executor, Apply(wanted(x="1")))
        assert observed(caches).data == {"x": "1"}
        path = "/api/v1/namespaces/shop/configmaps/a?fieldManager=provider%2Fquota&force=true"
        assert requests(server) == [f"PATCH {path}"]
    what = {"controller": "provider/quota", "kind": "ConfigMap", "key": "shop/a", "on": "rome"}
    assert logs == [{"event": "applied", "log_level": "info", **what}]


async def test_a_wish_is_sent_again_when_somebody_changed_the_object() -> None:
    async with a_site(says(a_config("7", x="1")), says(a_config("9", x="1"))) as (caches, server):
        executor = an_executor(caches)
        await execute(executor, Apply(wanted(x="1")))
        caches.take(ConfigMap.KIND, a_config("8", x="2"))
        await execute(executor, Apply(wanted(x="1")))
        assert len(server.asked) == 2


async def test_an_answer_older_than_our_copy_is_no_reason_to_be_content() -> None:
    answers = (says(a_config("7", x="1")), says(a_config("9", x="1")))
    async with a_site(*answers, there=(a_config("8", x="2"),)) as (caches, server):
        executor = an_executor(caches)
        await execute(executor, Apply(wanted(x="1")))
        await execute(executor, Apply(wanted(x="1")))
        assert len(server.asked) == 2


async def test_whether_something_can_be_created_is_asked_even_if_a_copy_has_it() -> None:
    """A copy that is behind still shows what is gone: skipped for that, it would never be made."""
    answers = (refuses(409, reason="AlreadyExists"), says(a_config("5")))
    async with a_site(*answers, there=(a_config("3"),)) as (caches, server):
        with pytest.raises(Conflict):
            await execute(an_executor(caches), Create(wanted()))
        await execute(an_executor(caches), Create(wanted()))
        assert len(server.asked) == 2


async def test_where_the_name_is_taken_what_is_wanted_is_applied_to_who_has_it() -> None:
    """Each time: our copies know nothing of it, and what was written before says nothing."""
    taken, put_right = refuses(409, reason="AlreadyExists"), says(a_config("7", x="1"))
    async with a_site(taken, put_right, taken, put_right) as (caches, server):
        executor = an_executor(caches)
        with capture_logs() as logs:
            for _ in range(2):
                await execute(executor, Create(wanted(x="1"), or_apply=True))
        assert observed(caches).data == {"x": "1"}
        path = "/api/v1/namespaces/shop/configmaps"
        assert requests(server) == 2 * [
            f"POST {path}?fieldManager=provider%2Fquota",
            f"PATCH {path}/a?fieldManager=provider%2Fquota&force=true",
        ]
    assert [each["event"] for each in logs] == ["applied", "applied"]


async def test_a_creation_that_conflicts_with_anything_else_fails() -> None:
    async with a_site(refuses(409, reason="Conflict")) as (caches, server):
        with pytest.raises(Conflict):
            await execute(an_executor(caches), Create(wanted(), or_apply=True))
        assert len(server.asked) == 1


async def test_a_deletion_is_sent_once() -> None:
    async with a_site(says({}), there=(a_config("3"),)) as (caches, server):
        executor = an_executor(caches)
        for _ in range(2):
            await execute(executor, Delete(observed(caches)))
        assert requests(server) == ["DELETE /api/v1/namespaces/shop/configmaps/a"]


async def test_what_is_gone_already_is_as_good_as_deleted() -> None:
    async with a_site(refuses(404), refuses(404), there=(a_config("3"),)) as (caches, _):
        await execute(an_executor(caches), Delete(observed(caches)), Evict(a_pod()))


async def test_what_is_gone_cannot_be_patched() -> None:
    async with a_site(refuses(404), there=(a_config("3"),)) as (caches, _):
        with pytest.raises(NotFound):
            await execute(an_executor(caches), Patch(observed(caches), {}))


async def test_the_first_failure_ends_a_plan() -> None:
    async with a_site(refuses(403)) as (caches, server):
        with pytest.raises(Forbidden):
            await execute(an_executor(caches), Apply(wanted()), Delete(a_pod()))
        assert len(server.asked) == 1


SAID = Record(a_pod(), "Granted", "3 cpus were granted")


async def test_people_are_told_once() -> None:
    async with a_site(says({"metadata": {}})) as (caches, server):
        executor = an_executor(caches)
        await execute(executor, SAID)
        await execute(executor, SAID)
        assert requests(server) == ["POST /api/v1/namespaces/rome/events"]
        told: dict[str, Any] = msgspec.json.decode(server.asked[0].body)
        assert told["source"] == {"component": "provider/quota"}


async def test_an_event_that_is_refused_does_not_fail_the_plan_and_is_tried_again() -> None:
    async with a_site(refuses(403), says({"metadata": {}})) as (caches, server):
        executor = an_executor(caches)
        await execute(executor, SAID)
        await execute(executor, SAID)
        assert len(server.asked) == 2


async def test_what_was_repeated_before_a_restart_is_not_tried_again() -> None:
    """Its Event has a name that we know; and when there is more to tell, it is counted up."""
    there = refuses(409, reason="AlreadyExists")
    async with a_site(there, says({"metadata": {}})) as (caches, server):
        executor = an_executor(caches)
        for count in (3, 3, 5, 6):
            again = replace(SAID, repeats=Occurrence("web.1", count))
            await execute(executor, again)
        assert requests(server) == [
            "POST /api/v1/namespaces/rome/events",
            "PATCH /api/v1/namespaces/rome/events/web.1",
        ]


async def test_an_event_that_the_api_server_could_not_write_fails_the_plan() -> None:
    async with a_site(refuses(500)) as (caches, _):
        with pytest.raises(ServerFault):
            await execute(an_executor(caches), SAID)


async def test_tokens_are_issued_and_put_into_a_secret() -> None:
    issued = {"status": {"token": "t1", "expirationTimestamp": "2026-01-01T02:00:00Z"}}
    secret = {
        "metadata": {"name": "web-token", "namespace": "far", "uid": "9", "resourceVersion": "8"}
    }
    action = MintToken(
        service_account=Key("rome", "default"),
        bound_to=Pod(metadata=Meta(name="web", namespace="rome", uid="pod-1")),
        wanted=(WantedToken("one"), WantedToken("two", audience="vault", seconds=600)),
        into=Manifest(Secret.KIND, {"metadata": {"name": "web-token", "namespace": "far"}}),
        expiry_annotation="liqo.io/expires",
    )
    async with a_site(says(issued), says(issued), says(secret)) as (caches, server):
        await execute(an_executor(caches), action)
        bodies = [msgspec.json.decode(asked.body) for asked in server.asked]
    assert bodies[0]["spec"]["boundObjectRef"]["uid"] == "pod-1"
    assert (bodies[1]["spec"]["audiences"], bodies[1]["spec"]["expirationSeconds"]) == (
        ["vault"],
        600,
    )
    assert bodies[2]["stringData"] == {"one": "t1", "two": "t1"}
    assert bodies[2]["metadata"]["annotations"] == {"liqo.io/expires": "2026-01-01T02:00:00Z"}
