"""What is changed of a pod that runs elsewhere reaches it there, as it would at home."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from liqo.api.kubernetes import Pod
from liqo.api.meta import JSON, Key
from liqo.api.offloading import ShadowPod
from liqo.kube.cluster import Cluster
from liqo.playground import images
from liqo.playground.cluster import Site
from tests.e2e.crowds import admin
from tests.e2e.eventually import eventually
from tests.e2e.kubectl import kubectl
from tests.e2e.offloaded import extended
from tests.e2e.workloads import FOREVER, Shop, pod, shell, spec

DEAF = "trap '' TERM; sleep infinity"
SLOW = "trap 'sleep 20; exit 0' TERM; sleep infinity & wait"  # to end
SIZE: JSON = {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"cpu": "100m"}}


@dataclass(frozen=True)
class Twins:
    """Pods of one namespace, seen and changed without a process for each look."""

    shop: Shop
    here: Cluster
    there: Cluster

    async def start(self, *containers: JSON, **fields: Any) -> str:
        name = f"web-{uuid4().hex[:6]}"
        await self.shop.put(pod(name, spec(*containers, **fields)))
        await self.shop.is_ready(name)
        return name

    async def ours(self, name: str) -> Pod:
        return await self.here.get(Pod, Key(self.shop.name, name))

    async def theirs(self, name: str) -> Pod:
        return await self.there.get(Pod, Key(f"{self.shop.name}-rome", name))

    async def change(self, name: str, body: JSON, subresource: str = "") -> None:
        key = Key(self.shop.name, name)
        await self.here.patch(Pod.KIND, key, body, how="strategic", subresource=subresource)

    async def resize(self, name: str, **limits: str) -> None:
        sized = {"name": "main", "resources": {"limits": limits}}
        await self.change(name, {"spec": {"containers": [sized]}}, "resize")

    async def limits(self, name: str) -> tuple[JSON, JSON]:
        """What runs there, and what is told of it here."""
        ours, theirs = (await self.ours(name)).status, (await self.theirs(name)).status
        return tuple(each["containerStatuses"][0].get("resources", {}) for each in (theirs, ours))

    async def remake(self, name: str) -> Pod:
        """The provider loses its pod, and makes another one."""
        lost = await self.theirs(name)
        await self.there.delete(Pod.KIND, lost.key, grace=0)

        async def is_another() -> bool:
            ours, theirs = await self.ours(name), await self.theirs(name)
            shown = ours.metadata.annotations["offloading.liqo.io/remote-pod-uid"]
            return lost.metadata.uid != theirs.metadata.uid == shown

        await eventually(is_another)
        return await self.theirs(name)


@pytest.fixture(scope="module")
async def twins(peered: dict[str, Site]) -> AsyncIterator[Twins]:
    rome, milan = peered["rome"], peered["milan"]
    async with admin(rome) as here, admin(milan) as there, extended(rome) as name:
        found = Twins(Shop(rome, milan, name), here, there)
        try:
            yield found
        finally:
            forced = ("--all", "--force", "--grace-period=0")
            await rome.kubectl("delete", "pods", *forced, *found.shop.here)


async def test_marks_come_and_go_and_images_and_tolerations_follow(twins: Twins) -> None:
    name = await twins.start({"name": "main", "image": images.DEMO, "stdin": True})
    theirs = await twins.theirs(name)
    await twins.there.patch(
        Pod.KIND, theirs.key, {"metadata": {"labels": {"of": "milan"}}}, how="merge"
    )
    await twins.change(name, {"metadata": {"labels": {"a": "1", "b": "1"}}})
    await twins.change(name, {"metadata": {"labels": {"a": None}, "annotations": {"c": "1"}}})
    main = {"name": "main", "image": images.HELPER}
    more = {"key": "example.com/x", "operator": "Exists", "effect": "NoSchedule"}
    given = (await twins.ours(name)).spec["tolerations"]
    await twins.change(name, {"spec": {"containers": [main], "tolerations": [*given, more]}})

    async def is_there() -> tuple[Any, ...]:
        ours, theirs = await twins.ours(name), await twins.theirs(name)
        marks = {each: theirs.metadata.labels.get(each) for each in ("a", "b", "of")}
        runs = [each.status["containerStatuses"][0] for each in (ours, theirs)]
        return (
            marks,
            theirs.metadata.annotations.get("c"),
            more in theirs.spec["tolerations"],
            [(each["image"], each["ready"]) for each in runs],
            ours.status.get("observedGeneration") == ours.metadata.generation,
        )

    expected = ({"a": None, "b": "1", "of": "milan"}, "1", True, [(images.HELPER, True)] * 2, True)
    await eventually(is_there, is_=expected)
    again = await twins.remake(name)
    assert again.spec["containers"][0]["image"] == images.HELPER
    assert again.metadata.labels.get("b") == "1"


async def test_a_pod_grows_and_shrinks_where_it_runs_and_keeps_its_size(twins: Twins) -> None:
    name = await twins.start(shell(name="main", resources=SIZE))
    before = (await twins.theirs(name)).status["containerStatuses"][0]
    for cpu in ("200m", "50m"):
        await twins.resize(name, cpu=cpu)
        size = {**SIZE, "limits": {"cpu": cpu}}
        await eventually(lambda: twins.limits(name), is_=(size, size))
    theirs = (await twins.theirs(name)).status
    assert theirs["containerStatuses"][0]["containerID"] == before["containerID"]

    async def under_way() -> list[str]:
        conditions = (await twins.ours(name)).status["conditions"]
        return [each["type"] for each in conditions if each["type"].startswith("PodResize")]

    await eventually(under_way, is_=[])
    again = await twins.remake(name)
    assert again.spec["containers"][0]["resources"] == {**SIZE, "limits": {"cpu": "50m"}}


async def test_a_size_that_the_provider_refuses_is_told_and_holds_up_nothing(twins: Twins) -> None:
    name = await twins.start(shell(name="main", resources=SIZE))
    limit = {"type": "Container", "max": {"cpu": "1"}}
    named = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "small"}}
    text = json.dumps({**named, "spec": {"limits": [limit]}})
    await twins.shop.milan.kubectl("create", "-f", "-", *twins.shop.there, text=text)
    try:
        await twins.resize(name, cpu="2")
        told = await eventually(
            lambda: twins.shop.told(name), lambda told: "FailedUpdatePod" in told
        )
        assert 'cluster "milan"' in told["FailedUpdatePod"]
        assert "maximum cpu usage per Container is 1" in told["FailedUpdatePod"]
        await twins.change(name, {"metadata": {"labels": {"a": "1"}}})
        await eventually(lambda: twins.theirs(name), lambda seen: "a" in seen.metadata.labels)
    finally:
        await twins.shop.milan.kubectl("delete", "limitrange", "small", *twins.shop.there)
    await twins.resize(name, cpu="300m")
    size = {**SIZE, "limits": {"cpu": "300m"}}
    await eventually(lambda: twins.limits(name), is_=(size, size))


async def test_a_provider_that_takes_no_other_size_is_heard(twins: Twins) -> None:
    """As Liqo's own does it: its webhook refuses the change of a ShadowPod."""
    name = await twins.start(shell(name="main", resources=SIZE))
    sizes = iter(range(100, 1000))

    async def told() -> dict[str, str]:
        await twins.resize(name, cpu=f"{next(sizes)}m")
        return await twins.shop.told(name)

    async with refusing(twins.shop):
        said = await eventually(told, lambda told: "FailedReflection" in told)
    assert "runs on without the new resources" in said["FailedReflection"]
    assert "it stays as it is" in said["FailedReflection"]
    await twins.resize(name, cpu="1")
    size = {**SIZE, "limits": {"cpu": "1"}}
    await eventually(lambda: twins.limits(name), is_=(size, size), within=120)


@asynccontextmanager
async def refusing(shop: Shop) -> AsyncIterator[None]:
    """While this lasts, the specs of the ShadowPods of a shop cannot change."""
    policy = {
        "matchConstraints": {
            "resourceRules": [
                {
                    "apiGroups": [ShadowPod.KIND.group],
                    "apiVersions": [ShadowPod.KIND.version],
                    "operations": ["UPDATE"],
                    "resources": [ShadowPod.KIND.plural],
                }
            ]
        },
        "validations": [{"expression": "false", "message": "it stays as it is"}],
    }
    where = {"matchLabels": {"kubernetes.io/metadata.name": f"{shop.name}-rome"}}
    binding = {
        "policyName": shop.name,
        "validationActions": ["Deny"],
        "matchResources": {"namespaceSelector": where},
    }
    kinds = {
        "ValidatingAdmissionPolicy": policy,
        "ValidatingAdmissionPolicyBinding": binding,
    }
    items = [
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": kind,
            "metadata": {"name": shop.name},
            "spec": each,
        }
        for kind, each in kinds.items()
    ]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    await shop.milan.kubectl("create", "-f", "-", text=text)
    try:
        yield
    finally:
        await shop.milan.kubectl("delete", "-f", "-", text=text)


@pytest.mark.part_of_row("F06")
async def test_kubectl_debug_looks_into_the_pod_that_runs_and_no_other(twins: Twins) -> None:
    name = await twins.start(shell(name="main"))
    rome, where = twins.shop.rome, twins.shop.here
    debug = ("debug", name, *where, f"--image={images.HELPER}", "--target=main")

    async def attach(container: str, profile: str = "baseline") -> None:
        script = ("--", "sh", "-c", f"echo hello; {FOREVER}")
        ended = await kubectl(rome, *debug, "-c", container, f"--profile={profile}", *script)
        assert ended.code == 0, ended.stderr

    async def state(of: str = "look") -> JSON:
        statuses: Any = (await twins.ours(name)).status.get("ephemeralContainerStatuses", ())
        return next((each["state"] for each in statuses if each["name"] == of), {})

    await attach("bold", "sysadmin")
    refused = await eventually(lambda: state("bold"), lambda seen: "waiting" in seen)
    assert "PodSecurity" in refused["waiting"]["message"]
    await attach("look")
    await eventually(state, lambda seen: "running" in seen)
    logs = partial(rome.kubectl, "logs", name, "-c", "look", *where)
    await eventually(logs, is_="hello\n")
    ended = await kubectl(rome, "exec", name, "-c", "look", *where, "--", "ps", "-o", "args")
    assert "sleep" in ended.stdout
    again = await twins.remake(name)
    assert "ephemeralContainers" not in again.spec
    seen = await eventually(state, lambda seen: "terminated" in seen)
    assert seen["terminated"]["reason"] == "RemotePodTerminated"
    await attach("more")
    await eventually(lambda: state("more"), lambda seen: "running" in seen)
    attached: Any = (await twins.theirs(name)).spec
    assert [each["name"] for each in attached["ephemeralContainers"]] == ["more"]


async def test_a_pod_ends_within_the_time_that_was_asked_for_last(twins: Twins) -> None:
    name = await twins.start(shell(DEAF, name="main"), terminationGracePeriodSeconds=600)
    rome, milan = Key(twins.shop.name, name), Key(f"{twins.shop.name}-rome", name)

    async def left() -> int | None:
        return (await twins.there.get(Pod, milan)).metadata.deletion_grace_period_seconds

    for seconds in (60, 10):  # long enough to be seen
        await twins.here.delete(Pod.KIND, rome, grace=seconds)
        await eventually(left, is_=seconds)
    nothing = ("get", "pods,shadowpods", name, "--ignore-not-found", "-o", "name")
    for site, where in ((twins.shop.rome, twins.shop.here), (twins.shop.milan, twins.shop.there)):
        await eventually(partial(site.kubectl, *nothing, *where), is_="")


async def test_a_pod_may_be_given_more_time_than_it_asked_for(twins: Twins) -> None:
    name = await twins.start(shell(SLOW, name="main"), terminationGracePeriodSeconds=1)
    await twins.here.delete(Pod.KIND, Key(twins.shop.name, name), grace=300)
    seen = await eventually(
        lambda: twins.theirs(name), lambda pod: pod.metadata.deletion_timestamp is not None
    )
    assert seen.metadata.deletion_grace_period_seconds == 300


async def test_the_next_pod_does_not_wait_for_one_that_was_deleted_by_force(twins: Twins) -> None:
    name = await twins.start(shell(DEAF, name="main"), terminationGracePeriodSeconds=600)
    first = await twins.theirs(name)
    await twins.here.delete(Pod.KIND, Key(twins.shop.name, name), grace=0)
    await twins.shop.put(pod(name, spec(shell(name="main"))))
    await twins.shop.is_ready(name)
    assert (await twins.theirs(name)).metadata.uid != first.metadata.uid
