"""A consumer gets what was granted and no more, and its people are told: on whole clusters."""

from __future__ import annotations

import json
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from uuid import uuid4

import pytest

from liqo.api.kubernetes import Pod, Secret
from liqo.api.meta import JSON, Key
from liqo.api.offloading import ShadowPod
from liqo.kube.cluster import Cluster
from liqo.kube.kubeconfig import from_kubeconfig, from_secret
from liqo.kube.paths import Scope
from liqo.playground import faults, processes
from liqo.playground.cluster import Site
from liqo.rules import names
from liqo.webhooks.quota.seat import SEPARATOR
from tests.e2e import loans
from tests.e2e.eventually import eventually
from tests.e2e.installation import of
from tests.e2e.liqoctl import liqoctl
from tests.e2e.loans import SLICES, Loan, done
from tests.e2e.offloaded import TENANT, condition, extended, read
from tests.e2e.rush import AT_ONCE, EARLY, ROOM, Ask, decides, disturbed
from tests.e2e.settings import installed_with, settings
from tests.e2e.workloads import Shop, pod, shell, spec

CONFIG = "controllerManager.config"
LEVEL = f"{CONFIG}.defaultLimitsEnforcement"
SWITCH = f"{CONFIG}.enableResourceEnforcement"
CLASS = "authentication.defaultResourceSliceClassEnabled"
CLOSED = (
    "Denied",
    "DefaultResourceSliceClassDisabled",
    "the default ResourceSlice class has been administratively disabled on the provider",
)
GRANTED = "100m"  # of a core: the machine behind it has few of them
EACH = "5m"  # of ROOM pods

loan = loans.loan


@dataclass(frozen=True)
class Pool:
    """A little of Milan, as two nodes of Rome that share it; and a namespace that goes there."""

    loan: Loan
    name: str
    shop: Shop

    @property
    def second(self) -> str:
        return f"{self.name}-too"

    @property
    def user(self) -> str:
        return names.user_of(self.name, "rome")

    async def put(self, name: str, *, second: bool = False, **sizes: Mapping[str, str]) -> None:
        """A pod of that size, on one of the two nodes."""
        node = {"kubernetes.io/hostname": self.second if second else self.name}
        body = spec(shell(resources=sizes), nodeSelector=node)
        await self.shop.put(pod(name, body))

    async def refused(self, name: str, why: str) -> str:
        """What its condition and an Event say, once that is why: at first it may be that nobody
        decides at that moment."""
        about = f"involvedObject.kind=Pod,involvedObject.name={name},reason=FailedReflection"
        events = ("events", *self.shop.here, "--field-selector", about)

        async def said() -> str:
            status = (await self.shop.ours(f"pod/{name}"))["status"]
            conditions = status.get("conditions", ())  # none, until a scheduler has seen it
            words = [each.get("message", "") for each in conditions if each["status"] == "False"]
            told = [each["message"] for each in (await read(self.shop.rome, *events))["items"]]
            both = (each for each in words if f"Error reflecting object to {each}" in told)
            return next((each for each in both if why in each), "")

        return await eventually(said, bool)

    async def in_milan(self) -> set[str]:
        where = ("get", "shadowpods", *self.shop.there, "-o", "name")
        return {each.rpartition("/")[2] for each in (await self.shop.milan.kubectl(*where)).split()}

    async def quota(self) -> JSON:
        found = await read(self.shop.milan, f"quota/{self.user}", "-n", self.loan.there)
        limits: JSON = found["spec"]
        return limits

    async def explained(self, node: str) -> JSON:
        """Why that node offers what it offers."""
        words = ("explain", "capacity", node, "-o", "json", of(self.loan.consumer))
        told: JSON = json.loads(done(await liqoctl(*words)).stdout)
        return told

    async def pods_in_milan(self) -> str:
        return await self.shop.milan.kubectl("get", "pods", *self.shop.there, "-o", "name")

    async def limits(self, *how: str) -> str:
        """The name of the Quota."""
        where = ("-n", self.loan.there, "-o", "name", *how)
        return await self.shop.milan.kubectl("get", f"quota/{self.user}", *where)


@pytest.fixture
async def pool(loan: Loan) -> AsyncIterator[Pool]:
    name = f"pool-{uuid4().hex[:6]}"
    where = ("--remote-cluster-id=milan", of(loan.consumer))
    wanted = (f"--cpu={GRANTED}", "--memory=1Gi", "--pods=100")
    done(await liqoctl("create", "resourceslice", name, *where, *wanted))
    made = ("create", "virtualnode", f"{name}-too", f"--resource-slice-name={name}")
    done(await liqoctl(*made, *where))
    for node in (name, f"{name}-too"):
        await eventually(partial(condition, loan.consumer, f"node/{node}", "Ready"), is_="True")
    async with extended(loan.consumer) as shop:
        yield Pool(loan, name, Shop(loan.consumer, loan.provider, shop))
    done(await liqoctl("delete", "virtualnode", f"{name}-too", of(loan.consumer)))
    await liqoctl("delete", "resourceslice", name, of(loan.consumer))


@pytest.mark.row("D11", "D12")
async def test_two_nodes_of_one_slice_share_what_was_granted(pool: Pool) -> None:
    for node in (pool.name, pool.second):
        shown = (await read(pool.loan.consumer, f"node/{node}"))["status"]["allocatable"]
        assert shown["cpu"] == GRANTED  # each of them, and both together
    await pool.put("first", requests={"cpu": "60m"})
    await pool.shop.is_ready("first")
    told = await pool.explained(pool.second)
    assert (told["resourceSlice"], told["sharedWith"]) == (pool.name, [pool.name])
    cpu = told["resources"]["cpu"]
    assert (cpu["granted"], cpu["inUse"], cpu["left"]) == (GRANTED, "60m", "40m")
    await pool.put("second", second=True, requests={"cpu": "60m"})
    why = "peering cpu quota usage exceeded - free 40m / requested 60m (of 100m in all)"
    assert (await pool.refused("second", why)).startswith('cluster "milan": ')
    await pool.put("third", second=True, requests={"cpu": "40m"})
    await pool.shop.is_ready("third")
    await pool.put("fourth", requests={"cpu": "1m"})
    await pool.refused("fourth", "free 0 / requested 1m")
    assert await pool.in_milan() == {"first", "third"}


async def test_a_pod_that_shrinks_frees_its_room_once_it_has(pool: Pool) -> None:
    """Who waits for that room is tried when it is there, and not only by and by."""
    await pool.put("first", requests={"cpu": "80m"})
    await pool.shop.is_ready("first")
    await pool.put("second", second=True, requests={"cpu": "80m"})
    await pool.refused("second", "free 20m / requested 80m")
    less = '{"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"20m"}}}]}}'
    where = ("patch", "pod", "first", *pool.shop.here, "--subresource=resize", "-p", less)
    await pool.shop.rome.kubectl(*where)

    async def done() -> bool:
        shadow = await read(pool.shop.milan, "shadowpod/first", *pool.shop.there)
        generation, told = shadow["metadata"]["generation"], shadow.get("status", {})
        return bool(generation > 1 and told.get("observedGeneration") == generation)

    await eventually(done)
    theirs = (await read(pool.shop.milan, "pod/first", *pool.shop.there))["status"]
    [status] = theirs["containerStatuses"]
    assert status["resources"]["requests"]["cpu"] == "20m"
    await pool.shop.is_ready("second")


@pytest.mark.row("C21")
async def test_more_than_was_granted_is_refused_unless_that_is_switched_off(pool: Pool) -> None:
    """What came while nobody counted is nobody's afterwards, and runs on."""
    await pool.put("most", requests={"cpu": "40m"})
    await pool.put("some", second=True, requests={"cpu": "20m"})
    for name in ("most", "some"):
        await pool.shop.is_ready(name)
    await pool.put("more", second=True, requests={"cpu": "50m"})
    await pool.refused("more", "cpu quota usage exceeded - free 40m / requested 50m")
    async with settings(pool.shop.milan, **{SWITCH: "false"}):
        await pool.shop.is_ready("more")  # it is tried again by and by
        await pool.put("now", second=True, requests={"cpu": "20m"})
        await pool.shop.is_ready("now")
    await pool.put("again", requests={"cpu": "50m"})
    await pool.refused("again", "cpu quota usage exceeded - free 40m / requested 50m")
    for name in ("more", "now"):
        await pool.shop.is_ready(name)


async def test_a_class_that_is_switched_off_grants_nothing_new_and_takes_nothing_back(
    pool: Pool,
) -> None:
    rome, milan, late = pool.shop.rome, pool.shop.milan, f"{pool.name}-late"
    await pool.put("before", requests={"cpu": "40m"})
    await pool.shop.is_ready("before")
    granted = await pool.quota()
    try:
        async with settings(milan, **{CLASS: "false"}):
            # Those decide that were told of it: what they granted before is denied as well.
            await eventually(partial(answer, rome, pool.name), is_=CLOSED)
            told = (await pool.loan.ask(late)).told
            refused = f"WARN: ResourceSlice resources not accepted: {CLOSED[1]}: {CLOSED[2]}"
            assert told[-1] == refused
            assert await answer(rome, late) == CLOSED
            assert await pool.quota() == granted
            await pool.put("meanwhile", second=True, requests={"cpu": "60m"})
            for name in ("before", "meanwhile"):
                await pool.shop.is_ready(name)
            assert await condition(rome, f"node/{pool.name}", "Ready") == "True"
            assert await rome.kubectl("get", "node", late, "--ignore-not-found") == ""
        await eventually(partial(condition, rome, f"node/{late}", "Ready"), is_="True")
    finally:
        await liqoctl("delete", "resourceslice", late, of(rome))


async def answer(rome: Site, name: str) -> tuple[str, str, str]:
    """About the resources of a slice: what is said, and why."""
    asked = await read(rome, f"{SLICES}/{name}", "-n", TENANT)
    [said] = [each for each in asked["status"]["conditions"] if each["type"] == "Resources"]
    return said["status"], said["reason"], said["message"]


@pytest.mark.row("L22")
@pytest.mark.timeout(900)  # a consumer that was drained asks again once a minute
async def test_a_provider_says_how_pods_are_limited_and_whose_come_no_more(pool: Pool) -> None:
    await levels(pool)
    await cordons(pool)
    await drains(pool)


async def levels(pool: Pool) -> None:
    """How much pods must say of their size is a setting."""
    size = {"cpu": "10m", "memory": "16Mi"}
    assert (await pool.quota())["limitsEnforcement"] == "None"
    await pool.put("none")
    await pool.shop.is_ready("none")
    try:
        await installed_with(pool.shop.milan, **{LEVEL: "Soft"})
        await eventually(pool.quota, lambda quota: quota["limitsEnforcement"] == "Soft")
        await pool.put("silent")
        said = "CPU and/or memory requests not set for container main"
        await pool.refused("silent", said)
        await pool.put("soft", requests=size)
        await pool.shop.is_ready("soft")
        await installed_with(pool.shop.milan, **{LEVEL: "Hard"})
        await eventually(pool.quota, lambda quota: quota["limitsEnforcement"] == "Hard")
        await pool.put("elastic", requests=size, limits={"cpu": "20m", "memory": "16Mi"})
        said = "cpu limits and requests are not equal for container main"
        await pool.refused("elastic", said)
        await pool.put("hard", requests=size, limits=size)
        await pool.shop.is_ready("hard")
    finally:
        await installed_with(pool.shop.milan)


async def cordons(pool: Pool) -> None:
    """Neither a slice nor a tenant that is cordoned takes more; what runs goes on."""
    milan, size = pool.shop.milan, {"cpu": "10m"}
    await pool.put("before", requests=size)
    await pool.shop.is_ready("before")
    whose = ("--remote-cluster-id=rome", "--skip-confirm", of(milan))
    for word, what in (
        ("slice", ("resourceslice", pool.name, *whose)),
        ("tenant", ("tenant", "rome", "--skip-confirm", of(milan))),
    ):
        done(await liqoctl("cordon", *what))
        await eventually(pool.quota, lambda quota: quota.get("cordoned") is True)
        await pool.put(f"{word}-cordoned", requests=size)
        await pool.refused(f"{word}-cordoned", "user is cordoned")
        done(await liqoctl("uncordon", *what))
        await eventually(pool.quota, lambda quota: not quota.get("cordoned"))
        await pool.put(f"{word}-open", requests=size)
        await pool.shop.is_ready(f"{word}-open")
    await pool.shop.is_ready("before")


async def drains(pool: Pool) -> None:
    """A tenant that is drained keeps nothing here, and is told so at home; what it had comes back
    with it. Of one slice the same is its deletion."""
    milan, before = pool.shop.milan, ("pod/before", "Ready", *pool.shop.here)
    assert "before" in await pool.in_milan()
    done(await liqoctl("drain", "tenant", "rome", "--skip-confirm", of(milan)))
    await eventually(pool.in_milan, is_=set(), within=120)
    why = 'cluster "milan": shadowpods.offloading.liqo.io is forbidden: User '
    assert (await pool.refused("before", why)).startswith(why)
    assert await condition(pool.shop.rome, *before) == "False"
    [container] = (await pool.shop.ours("pod/before"))["status"]["containerStatuses"]
    assert container["ready"] is False
    waits = container["state"]["waiting"]
    assert (waits["reason"], waits["message"][: len(why)]) == ("FailedReflection", why)
    done(await liqoctl("activate", "tenant", "rome", of(milan)))
    await eventually(pool.quota, lambda quota: not quota.get("cordoned"), within=120)
    # Who was refused tries again once a minute: the controllers, and then the kubelet.
    await eventually(partial(condition, pool.shop.rome, *before), is_="True", within=240)
    done(await liqoctl("delete", "resourceslice", pool.name, of(pool.loan.consumer)))
    await eventually(partial(pool.limits, "--ignore-not-found"), is_="")


@pytest.mark.row("L22")
async def test_a_slice_that_is_deleted_takes_its_pods_with_it(pool: Pool) -> None:
    await pool.put("last", requests={"cpu": "10m"})
    await pool.shop.is_ready("last")
    assert (await pool.pods_in_milan()).split() == ["pod/last"]
    done(await liqoctl("delete", "resourceslice", pool.name, of(pool.loan.consumer)))
    await eventually(partial(pool.limits, "--ignore-not-found"), is_="")
    await eventually(pool.pods_in_milan, is_="")


async def test_of_many_at_once_as_many_get_in_as_fit_while_a_webhook_goes(pool: Pool) -> None:
    """The one that decides, when it has let some of them in."""
    milan = pool.shop.milan
    access = from_kubeconfig(str(milan.kubeconfig))
    async with two_webhooks(milan), of_the_slice(pool) as kubelet, Cluster(access) as admin:
        first, ending = await eventually(partial(doomed, milan, admin), bool)
        seen = await disturbed(many(kubelet, pool), ending)
        # At once: who followed it did so while somebody still asked.
        assert await decides(admin) not in ("", first)
        assert 0 < seen.before < ROOM
        assert seen.after > 0
        assert seen.admitted == ROOM
        where = Scope(pool.shop.there[1])
        stored = await kubelet.list(ShadowPod, scope=where, resource_version="")
        assert len(stored.items) == ROOM
        for each in stored.items:
            await kubelet.delete(ShadowPod.KIND, each.key)


@asynccontextmanager
async def two_webhooks(milan: Site) -> AsyncIterator[None]:
    """As on clusters of several machines."""
    await installed_with(milan, **{"webhook.replicas": "2"})
    try:
        yield
    finally:
        await installed_with(milan)


@asynccontextmanager
async def of_the_slice(pool: Pool) -> AsyncIterator[Cluster]:
    """Milan, as the kubelets of that slice see it."""
    access = from_kubeconfig(str(pool.loan.consumer.kubeconfig))
    key = Key(pool.loan.here, f"kubeconfig-resourceslice-{pool.name}")
    async with Cluster(access) as rome:
        secret = await rome.get(Secret, key)
    async with Cluster(from_secret(secret), name="milan") as kubelet:
        yield kubelet


async def doomed(milan: Site, admin: Cluster) -> tuple[str, Callable[[], Awaitable[None]]]:
    """Which webhook decides; and what ends it, and its pod.

    Told at once, when it is called: its kubelet would do so a little later, and to find it takes
    longer than some things last.
    """
    holder = await decides(admin)
    pod = Key("liqo", holder.partition(SEPARATOR)[0])
    found = await faults.victims(faults.target(milan, str(pod)))

    async def end() -> None:
        processes.send(signal.SIGTERM, found)
        await admin.delete(Pod.KIND, pod)

    return holder, end


def many(kubelet: Cluster, pool: Pool) -> list[Ask]:
    """On no node: it is not their running that is asked for here."""
    namespace = pool.shop.there[1]
    container = shell(resources={"requests": {"cpu": EACH}})
    body = {**spec(container), "nodeSelector": {"nowhere": "at-all"}}
    shadows = [
        {
            "apiVersion": ShadowPod.KIND.api_version,
            "kind": ShadowPod.KIND.name,
            "metadata": {
                "name": f"many-{number}",
                "namespace": namespace,
                "labels": {"offloading.liqo.io/origin": "rome"},
            },
            "spec": {"pod": body},
        }
        for number in range(EARLY + AT_ONCE)
    ]
    create = partial(kubelet.create, kind=ShadowPod.KIND, namespace=namespace)
    return [partial(create, shadow) for shadow in shadows]
