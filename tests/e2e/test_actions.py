"""Every action of a plan, on a real API server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from liqo.api.kubernetes import ConfigMap, Pod, Secret, ServiceAccount
from liqo.api.meta import JSON, Key, Meta, Model, Resource
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Conflict, NotFound
from liqo.runtime.events import EVENT
from liqo.runtime.execute import Author, Executor
from liqo.runtime.pace import IMPATIENT
from liqo.runtime.plan import (
    Action,
    Apply,
    Create,
    Delete,
    Evict,
    Manifest,
    MintToken,
    Patch,
    PatchStatus,
    Record,
    WantedToken,
    do,
)
from tests.e2e.control_plane import ControlPlane

NAMESPACE = "default"
NAME = "tests/actions"


class Involved(Model, frozen=True):
    name: str = ""
    uid: str = ""


class Event(Resource, frozen=True):
    KIND = EVENT

    reason: str = ""
    involved_object: Involved = Involved()


class Stage:
    """An executor, and what it acts upon."""

    def __init__(self, caches: Caches) -> None:
        self.cluster = caches.cluster
        self._executor = Executor({"local": caches, "remote": caches})

    async def execute(self, *actions: Action) -> None:
        await self._executor.execute(Author(NAME, NAME), do(*actions))

    async def pod(self, name: str, account: str = "default") -> Pod:
        containers = [{"name": "web", "image": "web"}]
        spec = {"containers": containers, "serviceAccountName": account}
        body = {**named(name), "spec": spec}
        await self.execute(Create(Manifest(Pod.KIND, body)))
        return await self.cluster.get(Pod, Key(NAMESPACE, name))

    async def config(self, name: str, **data: str) -> ConfigMap:
        await self.execute(Apply(a_config(named(name), **data)))
        return await self.cluster.get(ConfigMap, Key(NAMESPACE, name))


@pytest.fixture(scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    folder: Path = tmp_path_factory.mktemp("actions")
    async with (
        ControlPlane(folder) as plane,
        Cluster(plane.access("admin", "system:masters"), limits=IMPATIENT) as cluster,
        asyncio.TaskGroup() as tasks,
    ):
        caches = Caches(cluster)
        caches.of(ConfigMap)
        following = tasks.create_task(caches.run())
        await caches.wait_synced()
        yield Stage(caches)
        following.cancel()


def named(name: str, **more: str) -> JSON:
    return {"metadata": {"name": name, "namespace": NAMESPACE, **more}}


def a_config(body: JSON, **data: str) -> Manifest:
    return Manifest(ConfigMap.KIND, {**body, "data": data})


def namesake(thing: Resource) -> Resource:
    """The object as somebody saw it who does not know that it was made anew."""
    return msgspec.structs.replace(
        thing,
        metadata=Meta(
            name=thing.metadata.name, namespace=thing.metadata.namespace, uid="of-an-earlier-one"
        ),
    )


async def test_apply_makes_and_changes(stage: Stage) -> None:
    await stage.config("apply", x="1")
    assert (await stage.config("apply", x="2")).data == {"x": "2"}


async def test_apply_with_a_uid_never_creates(stage: Stage) -> None:
    with pytest.raises(Conflict):
        await stage.execute(Apply(a_config(named("nobody", uid="of-an-earlier-one"))))


async def test_no_write_reaches_a_namesake(stage: Stage) -> None:
    config, pod = await stage.config("namesake"), await stage.pod("namesake")
    mistaken: list[Action] = [
        Apply(a_config(named("namesake", uid="of-an-earlier-one"))),
        Patch(namesake(config), {"data": {"x": "1"}}),
        PatchStatus(namesake(pod), {"phase": "Failed"}),
        Delete(namesake(config)),
        Evict(namesake(pod)),
    ]
    for action in mistaken:
        with pytest.raises(Conflict):
            await stage.execute(action)


async def test_a_change_decided_on_an_old_copy_is_refused(stage: Stage) -> None:
    old = await stage.config("old")
    await stage.config("old", x="1")
    with pytest.raises(Conflict):
        await stage.execute(Patch(old, {"data": {"x": "2"}}, only_if_unchanged=True))


async def test_a_status_takes_labels_along(stage: Stage) -> None:
    pod = await stage.pod("status")
    await stage.execute(PatchStatus(pod, {"phase": "Running"}, labels=(("seen", "yes"),)))
    changed = await stage.cluster.get(Pod, pod.key)
    assert changed.status["phase"] == "Running"
    assert changed.metadata.labels == {"seen": "yes"}


async def test_what_is_deleted_or_evicted_is_gone_and_may_be_so_again(stage: Stage) -> None:
    config, pod = await stage.config("gone"), await stage.pod("gone")
    for _ in range(2):
        await stage.execute(Delete(config), Evict(pod, grace=0))
    with pytest.raises(NotFound):
        await stage.cluster.get(ConfigMap, config.key)
    with pytest.raises(NotFound):
        await stage.cluster.get(Pod, pod.key)


async def test_an_event_is_there_for_people(stage: Stage) -> None:
    config = await stage.config("event")
    await stage.execute(Record(config, "Granted", "3 cpus were granted", type="Warning"))
    events = await stage.cluster.list(Event, resource_version="")
    told = [event for event in events.items if event.involved_object.name == "event"]
    assert [(event.reason, event.involved_object.uid) for event in told] == [
        ("Granted", config.metadata.uid)
    ]


async def test_tokens_come_into_a_secret(stage: Stage) -> None:
    await stage.execute(Apply(Manifest(ServiceAccount.KIND, named("account"))))
    pod = await stage.pod("token", account="account")
    secret = Manifest(Secret.KIND, named("tokens"))
    wanted = (WantedToken("one", audience="vault"), WantedToken("two", seconds=600))
    account = Key(NAMESPACE, "account")
    await stage.execute(MintToken(account, pod, wanted, secret, "test.liqo.io/expires"))
    made = await stage.cluster.get(Secret, Key(NAMESPACE, "tokens"))
    assert set(made.data) == {"one", "two"}
    assert made.metadata.annotations["test.liqo.io/expires"].endswith("Z")
