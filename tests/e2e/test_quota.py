"""What consumers may take in all: decided by one of two webhooks, whichever of them is asked."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from liqo.api.meta import JSON, Key
from liqo.api.offloading import ShadowPod
from liqo.api.values import ResourceList
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Forbidden, Invalid
from liqo.kube.http import Request
from liqo.kube.paths import Scope, collection, query
from liqo.kube.reading import encode
from liqo.rules import names
from tests.e2e.asked import Asked, asked, unique
from tests.e2e.control_plane import Service, free_port
from tests.e2e.eventually import eventually
from tests.e2e.rush import AT_ONCE, EARLY, ROOM, Ask, admitted, decides, disturbed


@dataclass
class Milan:
    """A provider with two webhooks: one decides, and the other one is asked."""

    asked: Asked
    deciding: Service
    other: Service


@pytest.fixture(scope="module")
async def milan(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Milan]:
    async with two_webhooks(tmp_path_factory.mktemp("quotas")) as made:
        yield made


@asynccontextmanager
async def two_webhooks(folder: Path) -> AsyncIterator[Milan]:
    async with asked(folder) as made:
        first, second = free_port(), free_port()
        deciding = await made.start(first)
        await eventually(partial(decides, made.admin), lambda seen: seen.endswith(f":{first}"))
        other = await made.start(second)
        await made.ask_at(second)
        yield Milan(made, deciding, other)


@dataclass
class Rome:
    """A consumer's kubelet, and what it may take of Milan."""

    kubelet: Cluster
    asked: Asked
    id: str
    shop: str
    user: str

    def shadow(self, *containers: JSON, **pod: object) -> JSON:
        labels = {"offloading.liqo.io/origin": self.id}
        return {
            "apiVersion": ShadowPod.KIND.api_version,
            "kind": ShadowPod.KIND.name,
            "metadata": {"name": unique("web"), "namespace": self.shop, "labels": labels},
            "spec": {"pod": {"containers": list(containers), **pod}},
        }

    async def create(self, shadow: JSON) -> str:
        await self.kubelet.create(shadow, kind=ShadowPod.KIND, namespace=self.shop)
        name: str = shadow["metadata"]["name"]
        return name

    async def run(self, **requests: str) -> str:
        """One that asks for so much."""
        return await self.create(self.shadow(a_container(requests)))

    async def resize(self, name: str, **requests: str) -> None:
        change = {"spec": {"pod": {"containers": [a_container(requests)]}}}
        await self.kubelet.patch(ShadowPod.KIND, Key(self.shop, name), change, how="merge")

    async def shrunk(self, name: str) -> None:
        """As the provider's controllers say that a pod has the size of its ShadowPod."""
        key = Key(self.shop, name)
        seen = await self.asked.admin.get(ShadowPod, key)
        change = {"status": {"observedGeneration": seen.metadata.generation}}
        await self.asked.admin.patch(ShadowPod.KIND, key, change, how="merge", subresource="status")

    async def end(self, name: str, phase: str) -> None:
        """As the provider's controllers say it."""
        change, key = {"status": {"phase": phase}}, Key(self.shop, name)
        await self.asked.admin.patch(ShadowPod.KIND, key, change, how="merge", subresource="status")

    async def delete(self, name: str) -> None:
        await self.kubelet.delete(ShadowPod.KIND, Key(self.shop, name))

    async def allow(self, resources: ResourceList, **more: object) -> None:
        await self.asked.quota(self.user, resources, **more)

    async def stored(self) -> int:
        found = await self.kubelet.list(ShadowPod, scope=Scope(self.shop), resource_version="")
        return len(found.items)


@asynccontextmanager
async def a_consumer(milan: Asked, resources: ResourceList, **more: object) -> AsyncIterator[Rome]:
    rome = unique("rome")
    shop, user = await milan.offloaded_namespace(rome), names.user_of("mypool", rome)
    async with milan.user(user, rome) as kubelet:
        made = Rome(kubelet, milan, rome, shop, user)
        await made.allow(resources, **more)
        yield made


def a_container(requests: JSON, limits: JSON | None = None, name: str = "web") -> JSON:
    sizes = {"requests": requests, **({"limits": limits} if limits else {})}
    return {"name": name, "image": "web:1", "resources": sizes}


async def soon(attempt: Callable[[], Awaitable[object]]) -> None:
    """What is not refused once the webhook has heard of it."""

    async def works() -> bool:
        await attempt()
        return True

    await eventually(works)


async def test_what_does_not_fit_is_refused_in_the_words_of_the_wire(milan: Milan) -> None:
    async with a_consumer(milan.asked, {"cpu": "2", "memory": "4Gi"}) as rome:
        await rome.run(cpu="1500m", memory="1Gi")
        with pytest.raises(Forbidden) as refused:
            await rome.run(cpu="600m")
        said = 'admission webhook "shadowpod.validate.liqo.io" denied the request: '
        assert f"{said}peering cpu quota usage exceeded - free 500m / requested 600m" in str(
            refused.value
        )
        with pytest.raises(Forbidden, match=r"nvidia\.com/gpu quota limit not found"):
            await rome.run(**{"nvidia.com/gpu": "1"})
        await rome.run(cpu="500m")


async def test_a_pod_counts_with_all_that_it_takes(milan: Milan) -> None:
    async with a_consumer(milan.asked, {"cpu": "3", "pods": 2}) as rome:
        sidecar = {**a_container({"cpu": "1"}, name="proxy"), "restartPolicy": "Always"}
        first = a_container({"cpu": "1500m"}, name="first")
        main = a_container({"cpu": "1"})
        with pytest.raises(Forbidden, match="free 3 / requested 3250m"):
            await rome.create(
                rome.shadow(main, initContainers=[sidecar, first], overhead={"cpu": "750m"})
            )
        await rome.create(rome.shadow(main, initContainers=[sidecar, first]))
        await rome.run()
        with pytest.raises(Forbidden, match="pods quota usage exceeded - free 0 / requested 1"):
            await rome.run()


async def test_who_has_no_quota_or_a_cordoned_one_gets_nothing(milan: Milan) -> None:
    async with a_consumer(milan.asked, {"cpu": "2"}) as rome:
        with pytest.raises(Forbidden, match="failed getting quota"):
            await milan.asked.admin.create(
                rome.shadow(a_container({})), kind=ShadowPod.KIND, namespace=rome.shop
            )
        await rome.run(cpu="1")
        await rome.allow({"cpu": "2"}, cordoned=True)

        async def refusal() -> str:
            try:
                await rome.delete(await rome.run(cpu="1"))
            except Forbidden as error:
                return str(error)
            return ""

        await eventually(refusal, lambda said: "user is cordoned" in said)
        await rome.allow({"cpu": "2"}, cordoned=False)
        await soon(lambda: rome.run(cpu="1"))


async def test_what_a_pod_must_say_depends_on_the_level(milan: Milan) -> None:
    size: JSON = {"cpu": "100m", "memory": "64Mi"}
    room: ResourceList = {"cpu": "2", "memory": "1Gi"}
    async with a_consumer(milan.asked, room, limitsEnforcement="None") as rome:
        await rome.run()
    async with a_consumer(milan.asked, room, limitsEnforcement="Soft") as rome:
        with pytest.raises(Forbidden, match="memory requests not set for container web"):
            await rome.run(cpu="100m")
        await rome.run(**size)
    async with a_consumer(milan.asked, room, limitsEnforcement="Hard") as rome:
        with pytest.raises(Forbidden, match="cpu limits and requests are not equal"):
            await rome.run(**size)
        await rome.create(rome.shadow(a_container(size, size)))


async def test_what_ended_or_went_frees_its_room(milan: Milan) -> None:
    async with a_consumer(milan.asked, {"cpu": "1"}) as rome:
        for phase in ("Succeeded", "Failed", ""):
            name = await rome.run(cpu="1")
            with pytest.raises(Forbidden, match="free 0 / requested 1"):
                await rome.run(cpu="1")
            await (rome.end(name, phase) if phase else rome.delete(name))
            await soon(lambda: rome.run(cpu="1"))
            for each in await names_of(rome):
                await rome.delete(each)
            await eventually(rome.stored, is_=0)
            await soon(lambda: tried(rome, cpu="1"))


async def names_of(rome: Rome) -> list[str]:
    found = await rome.kubelet.list(ShadowPod, scope=Scope(rome.shop), resource_version="")
    return [each.metadata.name for each in found.items]


async def tried(rome: Rome, **requests: str) -> None:
    """Decided like any other, and not stored."""
    path = query(collection(ShadowPod.KIND, rome.shop), dryRun="All")
    await rome.kubelet.request(Request("POST", path, encode(rome.shadow(a_container(requests)))))


async def test_what_is_only_tried_takes_no_room(milan: Milan) -> None:
    async with a_consumer(milan.asked, {"cpu": "1"}) as rome:
        for _ in range(3):
            await tried(rome, cpu="1")
        with pytest.raises(Forbidden, match="free 1 / requested 2"):
            await tried(rome, cpu="2")


async def test_a_pod_grows_within_the_quota_and_not_beyond(milan: Milan) -> None:
    async with a_consumer(milan.asked, {"cpu": "3"}) as rome:
        name = await rome.run(cpu="1")
        await rome.run(cpu="1")
        with pytest.raises(Forbidden, match="free 1 / requested 2"):
            await rome.resize(name, cpu="3")
        await rome.resize(name, cpu="2")
        with pytest.raises(Forbidden, match="free 0 / requested 1"):
            await rome.run(cpu="1")
        await rome.resize(name, cpu="500m")
        with pytest.raises(Forbidden, match="free 0 / requested 1500m"):
            await rome.run(cpu="1500m")  # its pod may still have all of it
        await rome.shrunk(name)
        await soon(lambda: rome.run(cpu="1500m"))


HELD = "offloading.liqo.io/still-takes"


async def test_nobody_gets_room_by_saying_less_than_a_pod_takes(milan: Milan) -> None:
    async with a_consumer(milan.asked, {"cpu": "3", "nvidia.com/gpu": "1"}) as rome:
        size = {"cpu": "3", "nvidia.com/gpu": "1"}
        name = await rome.run(**size)
        refused = "a pod that runs cannot be resized so"
        for less in ({}, {"memory": "1Gi"}, {**size, "nvidia.com/gpu": "0"}, {**size, "cpu": "0"}):
            with pytest.raises(Forbidden, match=refused):
                await rome.resize(name, **less)
        await rome.resize(name, **{**size, "cpu": "1"})
        key = Key(rome.shop, name)
        lie = {"metadata": {"annotations": {HELD: None}}}
        await rome.kubelet.patch(ShadowPod.KIND, key, lie, how="merge")
        stored = await rome.kubelet.get(ShadowPod, key)
        assert stored.metadata.annotations[HELD] == '{"cpu":"3"}'
        with pytest.raises(Forbidden, match="free 0 / requested 2"):
            await rome.run(cpu="2")
        await rome.shrunk(name)
        await soon(lambda: rome.run(cpu="2"))


async def test_a_quota_that_shrinks_ends_nothing_and_lets_nobody_in(milan: Milan) -> None:
    async with a_consumer(milan.asked, {"cpu": "2"}) as rome:
        name = await rome.run(cpu="2")
        await rome.allow({"cpu": "1"})

        async def refusal() -> str:
            try:
                await tried(rome, cpu="1")
            except Forbidden as error:
                return str(error)
            return ""

        await eventually(refusal, lambda said: "free 0 / requested 1 (of 1 in all)" in said)
        await rome.resize(name, cpu="1500m")
        assert await rome.stored() == 1


@pytest.mark.parametrize("amount", ["abc", "-1", "1.1.1"])
async def test_what_is_no_quantity_is_refused(milan: Milan, amount: str) -> None:
    async with a_consumer(milan.asked, {"cpu": "2"}) as rome:
        with pytest.raises(Invalid, match=r"spec\.pod\.containers\[0\]\.resources\.requests"):
            await rome.run(cpu=amount)


def asks_of(rome: Rome, count: int) -> list[Ask]:
    shadows = [rome.shadow(a_container({"cpu": "1"})) for _ in range(count)]
    return [partial(rome.create, shadow) for shadow in shadows]


async def test_of_many_at_once_as_many_get_in_as_there_is_room_for(milan: Milan) -> None:
    for _ in range(3):
        async with a_consumer(milan.asked, {"cpu": str(ROOM)}) as rome:
            assert await admitted(asks_of(rome, AT_ONCE)) == ROOM
            assert await rome.stored() == ROOM


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
async def test_so_it_is_if_the_one_that_decides_goes_in_the_middle(
    tmp_path: Path, how: signal.Signals
) -> None:
    """Who has just promised much of the room, and not all: the next one decides on the rest."""
    async with two_webhooks(tmp_path) as milan, a_consumer(milan.asked, {"cpu": f"{ROOM}"}) as rome:
        first = await decides(milan.asked.admin)

        async def end() -> None:
            assert milan.deciding.signal(how)

        seen = await disturbed(asks_of(rome, EARLY + AT_ONCE), end)
        # At once: who followed it did so while somebody still asked.
        assert await decides(milan.asked.admin) not in ("", first)
        assert 0 < seen.before < ROOM
        assert seen.after > 0
        assert seen.admitted == ROOM
        assert await rome.stored() == ROOM


async def test_where_quotas_are_not_enforced_everything_fits(tmp_path: Path) -> None:
    async with asked(tmp_path) as made:
        port = free_port()
        await made.start(port, "--enable-resource-enforcement=false")
        await made.ask_at(port)
        async with a_consumer(made, {"cpu": "1"}) as rome:
            await rome.run(cpu="2")
            await made.admin.create(
                rome.shadow(a_container({})), kind=ShadowPod.KIND, namespace=rome.shop
            )
