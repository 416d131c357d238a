"""What a pod leaves behind when it goes out, and where it cannot go."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import partial

import pytest

from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from tests.e2e.artifacts import config_map, secret
from tests.e2e.eventually import eventually
from tests.e2e.offloaded import a_pod, condition, extend, read, withdraw
from tests.e2e.workloads import Shop

SHADOWS = "shadowpods.offloading.liqo.io"
HOST = "kubernetes.io/hostname"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"

PATIENCE, ROUNDED = 5.0, 1.0  # seconds: with what a pod refers to; and that no API server tells
LACKING = ("FailedMount", "Failed")  # of a volume; of a container, as CreateContainerConfigError


def a_particular_pod(name: str, namespace: str, preset: str) -> JSON:
    """With constraints for Rome's scheduler, namespaces of its host, and a preset."""
    body: JSON = json.loads(a_pod(name, namespace))
    apart = {"topologyKey": HOST, "labelSelector": {"matchLabels": {"app": "another"}}}
    away = {"weight": 1, "podAffinityTerm": apart}
    body["metadata"]["labels"] = {"app": name}
    body["metadata"]["annotations"] = {"liqo.io/anti-affinity-preset": preset}
    body["spec"] |= {
        "affinity": {"podAntiAffinity": {PREFERRED: [away]}},
        "hostNetwork": True,
        "hostPID": True,
        "hostIPC": True,
    }
    return body


def like(name: str) -> JSON:
    """What pods of one workload share there."""
    marks = {"app": name, "offloading.liqo.io/nodename": "milan"}
    return {"topologyKey": HOST, "labelSelector": {"matchLabels": marks}}


@pytest.mark.row("L16")
async def test_a_pod_leaves_what_was_meant_for_its_own_cluster_at_home(
    peered: dict[str, Site], shop: str
) -> None:
    rome, milan = peered["rome"], peered["milan"]
    bodies = {each: a_particular_pod(each, shop, each) for each in ("propagate", "soft", "hard")}
    expected = {
        "propagate": bodies["propagate"]["spec"]["affinity"]["podAntiAffinity"],
        "soft": {PREFERRED: [{"weight": 1, "podAffinityTerm": like("soft")}]},
        "hard": {REQUIRED: [like("hard")]},
    }
    for preset, body in bodies.items():
        await rome.kubectl("create", "-f", "-", text=json.dumps(body))
        ready = partial(condition, rome, f"pod/{preset}", "Ready", "-n", shop)
        await eventually(ready, is_="True")
        spec = (await read(milan, f"pod/{preset}", "-n", f"{shop}-rome"))["spec"]
        assert "nodeSelector" not in spec
        assert spec["affinity"] == {"podAntiAffinity": expected[preset]}
        assert not {"hostNetwork", "hostPID", "hostIPC"} & spec.keys()
        keys = {each.get("key") for each in spec["tolerations"]}
        assert "virtual-node.liqo.io/not-allowed" not in keys
        assert spec["automountServiceAccountToken"] is False
        sources = [each for volume in spec["volumes"] for each in volume["projected"]["sources"]]
        secrets = [each["secret"]["name"] for each in sources if "secret" in each]
        assert secrets == [f"{preset}-token"]
        assert not any("serviceAccountToken" in each for each in sources)


@pytest.mark.row("L17")
async def test_a_pod_whose_namespace_stays_home_waits_and_one_whose_namespace_left_is_lost(
    trade: Shop,
) -> None:
    """However long it waited (P-RACE9): what it refers to is there before it."""
    rome, milan, shop, where = trade.rome, trade.milan, trade.name, trade.here
    await withdraw(rome, shop)
    names = await milan.kubectl("get", "namespaces", "-o", "name")
    assert f"namespace/{shop}-rome" not in names.split()
    await trade.put(config_map(), secret(), a_reader(shop))
    await eventually(lambda: fate(rome, shop), is_=("Pending", "OffloadingBackOff"))
    await eventually(lambda: age(rome, shop), lambda seconds: seconds > PATIENCE + ROUNDED)
    assert await fate(rome, shop) == ("Pending", "OffloadingBackOff")
    await extend(rome, shop)
    await eventually(lambda: condition(rome, "pod/web", "Ready", *where), is_="True", within=90)
    assert "OffloadingBackOff" not in (await fate(rome, shop))
    assert await troubles(milan, trade.there) == []
    await withdraw(rome, shop)
    await eventually(lambda: fate(rome, shop), is_=("Failed", "OffloadingAborted"))
    told = await rome.kubectl("get", "events", *where, "-o", "jsonpath={.items[*].reason}")
    assert "ReflectionDisabled" in told


async def test_a_pod_that_is_left_behind_without_its_shadow_pod_is_made_anew(
    peered: dict[str, Site], shop: str
) -> None:
    """A consumer may ask for that, and would have a pod that no quota counts."""
    rome, milan = peered["rome"], peered["milan"]
    there = ("-n", f"{shop}-rome")
    await rome.kubectl("create", "-f", "-", text=a_pod("web", shop))
    ready = partial(condition, rome, "pod/web", "Ready", "-n", shop)
    await eventually(ready, is_="True")
    left = (await read(milan, "pod/web", *there))["metadata"]["uid"]
    await milan.kubectl("delete", SHADOWS, "web", "--cascade=orphan", *there)

    async def answered_for() -> tuple[bool, str]:
        pod, shadow = [await read(milan, f"{kind}/web", *there) for kind in ("pod", SHADOWS)]
        owners = [each["uid"] for each in pod["metadata"].get("ownerReferences", ())]
        is_new = pod["metadata"]["uid"] != left
        return is_new and owners == [shadow["metadata"]["uid"]], await ready()

    await eventually(answered_for, is_=(True, "True"), within=120)


def a_reader(namespace: str) -> JSON:
    """It mounts a ConfigMap and a Secret, and has variables of both."""
    body: JSON = json.loads(a_pod("web", namespace))
    [container] = body["spec"]["containers"]
    volumes = {
        "settings": {"configMap": {"name": "settings"}},
        "password": {"secret": {"secretName": "password"}},
    }
    body["spec"]["volumes"] = [{"name": name, **volume} for name, volume in volumes.items()]
    container["volumeMounts"] = [{"name": name, "mountPath": f"/{name}"} for name in volumes]
    container["envFrom"] = [
        {"configMapRef": {"name": "settings"}},
        {"secretRef": {"name": "password"}},
    ]
    return body


async def age(rome: Site, namespace: str) -> float:
    """Seconds since it was made."""
    made = (await read(rome, "pod/web", "-n", namespace))["metadata"]["creationTimestamp"]
    return (datetime.now(UTC) - datetime.fromisoformat(made)).total_seconds()


async def troubles(milan: Site, there: tuple[str, str]) -> list[str]:
    """What the kubelet there said of things that it needs for the pod and has not."""
    about = "involvedObject.kind=Pod,involvedObject.name=web"
    events = (await read(milan, "events", *there, "--field-selector", about))["items"]
    return [each["message"] for each in events if each["reason"] in LACKING]


async def fate(rome: Site, namespace: str) -> tuple[str, str]:
    status = (await read(rome, "pod/web", "-n", namespace))["status"]
    return status["phase"], status.get("reason", "")
