"""A pod on the provider is the pod that it would be at home: what it has, sees, says and leaves."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from uuid import uuid4

import pytest

from liqo.api.meta import JSON
from liqo.cli.playground.installing import fingerprint, product
from liqo.playground import faults, images
from liqo.playground.cluster import Site
from tests.e2e.eventually import eventually
from tests.e2e.kubelets import holder, only
from tests.e2e.loans import at_once
from tests.e2e.offloaded import TENANT, new_namespace, read
from tests.e2e.workloads import (
    ABROAD,
    DEVICE,
    FOREVER,
    SERVE,
    Shop,
    at_home,
    last_words,
    pod,
    pool,
    shell,
    spec,
    why_not_scheduled,
)


async def test_init_containers_come_first_and_sidecars_end_last(trade: Shop) -> None:
    shared: JSON = {"volumeMounts": [{"name": "shelf", "mountPath": "/shelf"}]}
    first = shell("echo bread > /shelf/goods", "baker", **shared)
    beside = shell(f"touch /shelf/open; {FOREVER}", "light", restartPolicy="Always", **shared)
    until = "until [ -e /shelf/open ]; do sleep 0.1; done; cat /shelf/goods > /dev/termination-log"
    sale = spec(
        shell(until, **shared),
        initContainers=[first, beside],
        volumes=[{"name": "shelf", "emptyDir": {}}],
        restartPolicy="Never",
    )
    await trade.put(pod("sale", sale))
    status = await trade.ends("sale")
    assert last_words(status) == "bread\n"
    baker, light = status["initContainerStatuses"]
    assert baker["state"]["terminated"]["reason"] == "Completed"
    assert "terminated" in light["state"]
    assert (await trade.theirs("pod/sale"))["status"]["initContainerStatuses"] == [baker, light]


async def test_the_secret_for_pulling_images_is_there_with_the_pod(trade: Shop) -> None:
    config = json.dumps({"auths": {"registry.example": {"auth": "cm9tZTpyb21l"}}})
    kind = "kubernetes.io/dockerconfigjson"
    content = {".dockerconfigjson": b64encode(config.encode()).decode()}
    key = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"}, "type": kind}
    await trade.put(
        {**key, "data": content}, pod("web", spec(SERVE, imagePullSecrets=[{"name": "key"}]))
    )
    await trade.is_ready("web")
    assert (await trade.theirs("pod/web"))["spec"]["imagePullSecrets"] == [{"name": "key"}]
    secret = await eventually(partial(trade.theirs, "secret/key"), bool)
    assert (secret["type"], secret["data"]) == (kind, content)


async def test_resources_that_kubernetes_does_not_know_are_lent(trade: Shop) -> None:
    wanted = {**SERVE, "resources": {"limits": {DEVICE: "1"}}}
    async with announced(trade.milan, "2"), pool(trade.rome) as node:
        await trade.put(pod("one", spec(wanted)))
        await trade.is_ready("one")
        ours, theirs = await trade.both("pod/one")
        assert (ours["spec"]["nodeName"], theirs["spec"]["nodeName"]) == (node, "milan")
        assert theirs["spec"]["containers"][0]["resources"]["limits"] == {DEVICE: "1"}
        await trade.put(pod("two", spec(wanted)))
        look = partial(why_not_scheduled, trade.rome, "pod/two", *trade.here)
        assert f"Insufficient {DEVICE}" in await eventually(look, bool)
        await trade.remove("one", "two")


@asynccontextmanager
async def announced(site: Site, amount: str) -> AsyncIterator[None]:
    """As a plug-in of a device would do it."""

    async def write(content: str | None) -> None:
        change = {"capacity": {DEVICE: content}, "allocatable": {DEVICE: content}}
        words = ("--subresource=status", "--type=merge", "-p", json.dumps({"status": change}))
        await site.kubectl("patch", f"node/{site.cluster.name}", *words)

    await write(amount)
    try:
        yield
    finally:
        await write(None)


ASK = """
import json, os, ssl, urllib.request

def file(name):
    return open(f"/var/run/secrets/kubernetes.io/serviceaccount/{name}").read()

def ask(path, body=None):
    host, port = (os.environ[f"KUBERNETES_SERVICE_{part}"] for part in ("HOST", "PORT"))
    url = f"https://{host}:{port}{path}"
    headers = {"Authorization": f"Bearer {file('token')}", "Content-Type": "application/json"}
    trusted = ssl.create_default_context(cadata=file("ca.crt"))
    question = urllib.request.Request(url, body and json.dumps(body).encode(), headers)
    return json.load(urllib.request.urlopen(question, context=trusted, timeout=10))

review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
user = ask("/apis/authentication.k8s.io/v1/selfsubjectreviews", review)["status"]["userInfo"]
myself = f"/api/v1/namespaces/{file('namespace')}/pods/{os.environ['HOSTNAME']}"
answer = {"user": user["username"], "uid": ask(myself)["metadata"]["uid"]}
open("/dev/termination-log", "w").write(json.dumps(answer))
"""


async def test_a_pod_talks_to_its_api_server_at_home_as_who_it_is_there(trade: Shop) -> None:
    """And finds itself, under its own name in its own namespace."""
    clerk = ("clerk", *trade.here)
    await trade.rome.kubectl("create", "serviceaccount", *clerk)
    await trade.rome.kubectl("create", "role", *clerk, "--verb=get", "--resource=pods")
    whom = f"--serviceaccount={trade.name}:clerk"
    await trade.rome.kubectl("create", "rolebinding", *clerk, "--role=clerk", whom)
    asking = {"name": "ask", "image": await product_image(), "command": ["python3", "-c", ASK]}
    caller = {
        **ABROAD,
        "containers": [asking],
        "serviceAccountName": "clerk",
        "restartPolicy": "OnFailure",  # of a question that nobody answered in time
    }
    await trade.put(pod("caller", caller))
    answer = json.loads(last_words(await trade.ends("caller")))
    ours, theirs = await trade.both("pod/caller")
    assert answer == {
        "user": f"system:serviceaccount:{trade.name}:clerk",
        "uid": ours["metadata"]["uid"],
    }
    assert theirs["spec"].get("serviceAccountName", "default") == "default"


async def product_image() -> str:
    archive = await product(print)
    tag = fingerprint(archive)
    return next(name for name in images.names(archive) if name.endswith(tag))


@pytest.mark.row("F05", "F07")
async def test_what_crashes_is_seen_at_home_as_it_is_there(trade: Shop) -> None:
    """Restarts, states, conditions and the address (X15) are those of the provider's pod."""
    mark: JSON = {"volumeMounts": [{"name": "mark", "mountPath": "/mark"}]}
    first = shell("test -e /mark/once || { touch /mark/once; exit 1; }", "first", **mark)
    crash = shell("echo so long > /dev/termination-log; exit 3", "crash")
    volume: JSON = {"name": "mark", "emptyDir": {}}
    restless = spec(crash, shell(name="stays"), initContainers=[first], volumes=[volume])
    await trade.put(pod("restless", restless))
    ours, _ = await eventually(lambda: trade.both("pod/restless"), backs_off_alike)
    containers = {each["name"]: each for each in ours["status"]["containerStatuses"]}
    assert containers["crash"]["lastState"]["terminated"]["exitCode"] == 3
    assert containers["crash"]["lastState"]["terminated"]["message"] == "so long\n"
    assert "running" in containers["stays"]["state"]
    [init] = ours["status"]["initContainerStatuses"]
    assert init["restartCount"] == 1
    await eventually(lambda: lines(trade, "restless"), lambda seen: seen[0] == seen[1])


def backs_off_alike(seen: tuple[JSON, JSON]) -> bool:
    """Both show the same, and that something was restarted and waits for the next time."""
    ours, theirs = (shown(each["status"]) for each in seen)
    crash: JSON = next((each for each in ours["containerStatuses"] if each["name"] == "crash"), {})
    waits = crash.get("state", {}).get("waiting", {}).get("reason") == "CrashLoopBackOff"
    return ours == theirs and waits and crash["restartCount"] > 0


def shown(status: JSON) -> JSON:
    """Of a pod's status all that a person reads, but not times nor hosts."""
    told = ("type", "status", "reason", "message")
    conditions = {tuple(each.get(name) for name in told) for each in status.get("conditions", ())}
    kept = ("phase", "podIP", "podIPs", "initContainerStatuses", "containerStatuses")
    return {**{name: status.get(name, []) for name in kept}, "conditions": conditions}


async def lines(trade: Shop, name: str) -> list[list[str]]:
    """Name, readiness, status and restarts, as `kubectl get` prints them on either side."""
    look = ("get", "pod", name, "--no-headers")
    seen = await at_once(
        trade.rome.kubectl(*look, *trade.here), trade.milan.kubectl(*look, *trade.there)
    )
    return [line.split()[:4] for line in seen]


async def test_a_pod_is_asked_to_end_and_has_its_time_for_it(trade: Shop) -> None:
    mourner = shell(
        "trap 'echo bye > /dev/termination-log; exit 0' TERM; while :; do sleep 0.1; done"
    )
    held = {**pod("mourner", spec(mourner, terminationGracePeriodSeconds=30))}
    held["metadata"]["finalizers"] = ["example.com/witness"]
    await trade.put(held)
    await trade.is_ready("mourner")
    await trade.rome.kubectl("delete", "pod", "mourner", *trade.here, "--wait=false")

    def has_ended(seen: JSON) -> bool:
        return "terminated" in seen["status"]["containerStatuses"][0]["state"]

    try:
        seen = await eventually(lambda: trade.ours("pod/mourner"), has_ended)
        assert last_words(seen["status"]) == "bye\n"
    finally:
        free = '{"metadata":{"finalizers":null}}'
        await trade.rome.kubectl("patch", "pod/mourner", *trade.here, "--type=merge", "-p", free)


@pytest.mark.row("A06", "K08")
async def test_a_pod_abroad_is_looked_at_as_if_it_were_local(trade: Shop) -> None:
    wanted = pod("web", spec(SERVE))
    await trade.put(wanted, at_home(wanted))
    for name in ("web", "web-at-home"):
        await trade.is_ready(name)
    table = await trade.rome.kubectl("get", "pods", *trade.here, "-o", "wide")
    headings, abroad, _ = table.splitlines()
    columns = ("NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE")
    assert headings.split() == [*columns, "NOMINATED", "NODE", "READINESS", "GATES"]
    address = (await trade.theirs("pod/web"))["status"]["podIP"]
    name, ready, status, restarted, _, ip, node, *none = abroad.split()
    assert (name, ready, status, restarted) == ("web", "1/1", "Running", "0")
    assert (ip, node, none) == (address, "milan", ["<none>"] * 2)
    described = [
        await trade.rome.kubectl("describe", "pod", name, *trade.here)
        for name in ("web", "web-at-home")
    ]
    assert titles(described[0]) == titles(described[1])


def titles(described: str) -> list[str]:
    """What `kubectl describe` tells about a pod, without what it says; marks are the pod's own."""
    outer = (line for line in described.splitlines() if not line.startswith(" "))
    told = [line.partition(":")[0] for line in outer]
    return [title for title in told if title not in ("Labels", "Annotations")]


@pytest.mark.row("A24")
async def test_a_pod_of_a_plain_namespace_waits_although_only_a_virtual_node_has_room(
    peered: dict[str, Site],
) -> None:
    rome, name = peered["rome"], f"plain-{uuid4().hex[:6]}"
    wanted = pod(name, {"containers": [shell(resources={"limits": {DEVICE: "1"}})]})
    await new_namespace(rome, name)
    try:
        async with pool(rome):
            await rome.kubectl("create", "-n", name, "-f", "-", text=json.dumps(wanted))
            why = await eventually(
                partial(why_not_scheduled, rome, f"pod/{name}", "-n", name), bool
            )
            assert "untolerated taint" in why
            seen = await read(rome, f"pod/{name}", "-n", name)
            assert (seen["status"]["phase"], seen["spec"].get("nodeName")) == ("Pending", None)
    finally:
        await rome.kubectl("delete", "namespace", name, "--wait=false")


@pytest.mark.row("A07")
async def test_the_virtual_kubelet_is_the_only_kubelet_of_its_node(trade: Shop) -> None:
    """It writes on both sides; while it stands still, nobody does."""
    component = "offloading.liqo.io/component=virtual-kubelet"
    deployments = await trade.rome.kubectl("get", "deploy", "-A", "-l", component, "-o", "name")
    assert "deployment.apps/vk-milan" in deployments.split()
    kubelet = await only(trade.rome)
    await eventually(partial(holder, trade.rome, "milan"), is_=kubelet)
    goal = faults.target(trade.rome, f"{TENANT}/{kubelet}")
    await faults.pause(goal)
    try:
        await trade.put(pod("web", spec(SERVE)))
        await eventually(
            lambda: trade.ours("pod/web"), lambda seen: seen["spec"].get("nodeName") == "milan"
        )
        assert await trade.names("pods,shadowpods") == ({"pod/web"}, set())
    finally:
        await faults.resume(goal)
    await trade.is_ready("web")
    assert await writers(trade.rome, "pod/web", *trade.here) >= {"reflection.liqo.io"}
    assert await writers(trade.milan, "shadowpod/web", *trade.there) == {"reflection.liqo.io"}


async def writers(site: Site, thing: str, *where: str) -> set[str]:
    path = "jsonpath={.metadata.managedFields[*].manager}"
    return set((await site.kubectl("get", thing, *where, "-o", path)).split())


async def test_pods_that_go_while_they_are_coming_leave_nothing(trade: Shop) -> None:
    """Also those that nobody waits for, and those that come again under the same name."""
    forced = ("--force", "--grace-period=0")
    for round_ in range(6):
        names = [f"hasty-{each}" for each in range(4)]
        with_token = {**ABROAD, "containers": [SERVE], "terminationGracePeriodSeconds": round_ % 2}
        await trade.put(*(pod(name, with_token) for name in names))
        how = forced if round_ > 3 else ()
        await trade.rome.kubectl("delete", "pod", *names, *trade.here, *how)
    nothing = ("get", "pods,shadowpods,secrets", "-o", "name")
    await eventually(lambda: trade.rome.kubectl(*nothing, *trade.here), is_="")
    await eventually(lambda: trade.milan.kubectl(*nothing, *trade.there), is_="")


async def test_a_deadline_ends_a_pod_on_both_sides(trade: Shop) -> None:
    await trade.put(pod("late", spec(shell(), activeDeadlineSeconds=1, restartPolicy="Never")))
    status = await trade.ends("late", "Failed")
    theirs = (await trade.theirs("pod/late"))["status"]
    assert status["reason"] == theirs["reason"] == "DeadlineExceeded"
    assert status["message"] == theirs["message"]
