"""What pods need beside themselves follows them, stays as it is at home, and goes with it."""

from __future__ import annotations

import json
import time
from datetime import datetime
from functools import partial

import pytest

from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from tests.e2e.artifacts import EDITS, config_map, endpoint_slice, ingress, secret, service
from tests.e2e.eventually import eventually
from tests.e2e.kubelets import OPTIONS, change, only, own_options, rolled_out
from tests.e2e.loans import Loan
from tests.e2e.offloaded import TENANT, condition, extend, read, withdraw
from tests.e2e.workloads import SERVE, Shop, pod, shell, spec

ALL = (config_map(), secret(), service(), ingress(), endpoint_slice())
THINGS = ("configmap/settings", "secret/password", "service/web", "ingress/web")
ENDPOINTS = ("shadowendpointslice/outside", "endpointslice/outside")
# What the API server or a controller there writes: no content of ours.
OTHERS = ("managedFields", "resourceVersion", "generation", "creationTimestamp", "uid")


def content(thing: JSON) -> JSON:
    """All of it that is ours to say."""
    metadata = {name: each for name, each in thing["metadata"].items() if name not in OTHERS}
    kept = {name: each for name, each in thing.items() if name not in ("status", "metadata")}
    return {**kept, "metadata": {**metadata, "labels": None}}


async def is_gone(site: Site, thing: str, *where: str) -> bool:
    return not await site.kubectl("get", thing, *where, "--ignore-not-found", "-o", "name")


@pytest.mark.row("A10", "E02", "G05")
@pytest.mark.part_of_row("G01")
async def test_all_that_is_in_a_namespace_is_there_changes_there_and_goes_there(
    trade: Shop,
) -> None:
    await trade.put(*ALL, pod("web", spec(SERVE)))
    await trade.is_ready("web")
    for thing in (*THINGS, *ENDPOINTS):
        await eventually(partial(trade.theirs, thing), bool)
    assert (await trade.theirs("configmap/settings"))["data"] == {"colour": "red"}
    assert (await trade.theirs("secret/password"))["data"] == {"word": "c2VzYW1l"}
    [shown] = (await trade.theirs("endpointslice/outside"))["endpoints"]
    assert (shown["addresses"], shown["conditions"]["ready"]) == (["192.0.2.7"], True)
    _, pods = await trade.names()
    assert pods == {"pod/web"}, "beside what follows them"
    await trade.rome.kubectl(
        "patch", "configmap/settings", *trade.here, "--type=merge", '-p={"data":{"colour":"blue"}}'
    )
    await trade.rome.kubectl("label", "service/web", *trade.here, "size=big")
    await eventually(lambda: data(trade), is_={"colour": "blue"})
    await eventually(lambda: label(trade, "service/web", "size"), is_="big")
    await trade.rome.kubectl("delete", *THINGS, "endpointslice/outside", *trade.here)
    for thing in (*THINGS, *ENDPOINTS):
        await eventually(partial(is_gone, trade.milan, thing, *trade.there))


async def data(trade: Shop) -> JSON:
    found: JSON = (await trade.theirs("configmap/settings"))["data"]
    return found


async def label(trade: Shop, thing: str, name: str) -> str:
    marks = (await trade.theirs(thing))["metadata"]["labels"]
    return str(marks.get(name, ""))


@pytest.mark.row("G03")
async def test_what_somebody_changes_or_deletes_there_is_put_back(trade: Shop) -> None:
    await trade.put(*ALL)
    for thing, edits in EDITS.items():
        before = await eventually(partial(shown, trade, thing), bool)
        for edit in edits:
            words = ("--type=merge", f"-p={json.dumps(edit)}")
            await trade.milan.kubectl("patch", thing, *trade.there, *words)
            await eventually(partial(shown, trade, thing), is_=before)
        await trade.milan.kubectl("delete", thing, *trade.there)
        await eventually(partial(shown, trade, thing), is_=before)


async def shown(trade: Shop, thing: str) -> JSON:
    """Without what is given to it anew when it is made again: an address, the uid of its owner."""
    found = content(await trade.theirs(thing))
    found["metadata"].pop("ownerReferences", None)
    for field in ("clusterIP", "clusterIPs"):
        found.get("spec", {}).pop(field, None)
    return found


async def test_what_others_have_there_is_never_touched_and_the_owner_is_told_the_way_out(
    trade: Shop,
) -> None:
    theirs = config_map("settings", whose="milan")
    await trade.milan.kubectl("create", *trade.there, "-f", "-", text=json.dumps(theirs))
    before = await trade.theirs("configmap/settings")
    await trade.put(config_map("settings"), config_map("other"))
    await eventually(partial(trade.theirs, "configmap/other"), bool)
    said = await eventually(partial(warning, trade, "settings"), bool)
    assert "is not a copy of this one. Delete it there" in said
    assert await trade.theirs("configmap/settings") == before
    await trade.rome.kubectl("delete", "configmap/settings", *trade.here)
    assert await trade.theirs("configmap/settings") == before


async def warning(trade: Shop, name: str) -> str:
    about = f"involvedObject.name={name},reason=FailedReflection"
    found = await read(trade.rome, "events", *trade.here, "--field-selector", about)
    return " ".join(each["message"] for each in found["items"])


@pytest.mark.row("G02")
async def test_everything_goes_to_the_selected_clusters_and_nothing_to_others(
    peered: dict[str, Site], trade: Shop
) -> None:
    rome, turin = peered["rome"], Loan(peered["rome"], peered["turin"])
    await turin.peer()
    try:
        await eventually(lambda: condition(rome, "node/turin", "Ready"), is_="True")
        await withdraw(rome, trade.name)
        only = {"key": "liqo.io/remote-cluster-id", "operator": "In", "values": ["milan"]}
        selector = {"nodeSelectorTerms": [{"matchExpressions": [only]}]}
        await extend(rome, trade.name, clusterSelector=selector)
        await trade.put(*ALL)
        for thing in (*THINGS, *ENDPOINTS):
            await eventually(partial(trade.theirs, thing), bool)
        await eventually(partial(is_gone, turin.provider, f"namespace/{trade.name}-rome"))
        kinds = "configmaps,secrets,services,ingresses,shadowendpointslices"
        marked = ("-A", "-l", "offloading.liqo.io/origin=rome", "-o", "name")
        await eventually(partial(turin.provider.kubectl, "get", kinds, *marked), is_="")
    finally:
        await turin.unpeer("--delete-namespaces")


@pytest.mark.row("L19")
async def test_addresses_ports_of_nodes_and_classes_are_the_providers(
    peered: dict[str, Site], trade: Shop
) -> None:
    """First of a provider that offers no classes, then of one that does."""
    balanced = service(
        "balanced", type="LoadBalancer", loadBalancerIP="203.0.113.7", loadBalancerClass="a.b/home"
    )
    forced = service("forced", type="NodePort")
    forced["metadata"]["annotations"] = {"liqo.io/force-remote-node-port": "true"}
    await trade.put(service(), service("headless", clusterIP="None"), balanced, forced)
    await trade.put(service("nodes", type="NodePort"), ingress(ingressClassName="home"))
    here, there = {}, {}
    for name in ("web", "headless", "balanced", "nodes", "forced"):
        await eventually(partial(trade.theirs, f"service/{name}"), bool)
        ours, theirs = await trade.both(f"service/{name}")
        here[name], there[name] = ours["spec"], theirs["spec"]
    assert there["headless"]["clusterIP"] == "None"
    assert there["web"]["clusterIP"] != here["web"]["clusterIP"]
    assert not {"loadBalancerIP", "loadBalancerClass"} & there["balanced"].keys()
    assert there["nodes"]["type"] == "NodePort"
    assert port_of(there["nodes"]) != port_of(here["nodes"])
    assert port_of(there["forced"]) == port_of(here["forced"])
    theirs = await eventually(partial(trade.theirs, "ingress/web"), bool)
    assert "ingressClassName" not in theirs["spec"]
    async with own_options(peered["rome"]) as options:
        await offer(peered["rome"], options, ingress="milans", load_balancer="a.b/milan")
        look = partial(value, trade, "ingress/web", "ingressClassName")
        await eventually(look, is_="milans", within=120)
        # Of one that has a class already, or none, it cannot be changed any more.
        await trade.put(service("later", type="LoadBalancer"))
        await eventually(
            partial(value, trade, "service/later", "loadBalancerClass"), is_="a.b/milan"
        )
    await eventually(partial(value, trade, "ingress/web", "ingressClassName"), is_="", within=120)


def port_of(service_spec: JSON) -> int:
    [port] = service_spec["ports"]
    return int(port["nodePort"])


async def value(trade: Shop, thing: str, field: str) -> str:
    return str((await trade.theirs(thing))["spec"].get(field, ""))


async def offer(rome: Site, options: str, **classes: str) -> None:
    """As the VirtualNode of a provider that offers them has its kubelet started."""
    usual = (await read(rome, f"{OPTIONS}/{options}", "-n", "liqo"))["spec"]["extraArgs"]
    flags = [
        flag
        for what, name in ((what.replace("_", "-"), name) for what, name in classes.items())
        for flag in (f"--enable-{what}", f"--remote-real-{what}-class-name={name}")
    ]
    await change(rome, options, {"extraArgs": [*usual, *flags]})


@pytest.mark.part_of_row("G01", "G04", "E05")
async def test_a_pod_there_reaches_those_at_home_by_the_name_of_their_service(
    trade: Shop,
) -> None:
    """The playground is flat: addresses mean the same in both clusters."""
    marks = {"labels": {"app": "web"}}
    local = {**spec(SERVE), "nodeSelector": {"kubernetes.io/hostname": "rome"}}
    at_home = {**pod("at-home", local), "metadata": {"name": "at-home", **marks}}
    abroad = {**pod("abroad", spec(SERVE)), "metadata": {"name": "abroad", **marks}}
    await trade.put(service(), at_home, abroad, pod("asking", spec(shell())))
    for name in ("at-home", "abroad", "asking"):
        await trade.is_ready(name)
    pods = [(await trade.ours(f"pod/{name}"))["status"]["podIP"] for name in ("at-home", "abroad")]
    chosen = ("-l", "kubernetes.io/service-name=web", *trade.there)
    found = await eventually(
        partial(addresses, trade.milan, chosen), lambda seen: sorted(seen) == sorted(pods)
    )
    assert len(found) == 2, "each is there once: its own pod the provider found itself"
    address = await value(trade, "service/web", "clusterIP")
    inside = ("exec", "asking", *trade.here, "--")
    full = f"web.{trade.name}-rome.svc.cluster.local"
    asked = partial(trade.rome.kubectl, *inside, "nslookup", full)
    await eventually(asked, lambda said: f"Address: {address}" in said)
    request = f"printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 20 {address} 80"
    visit = partial(trade.rome.kubectl, *inside, "sh", "-c", request)
    await eventually(visit, bool)  # nodes learn of endpoints a moment later
    for _ in range(8):  # often enough to have met both
        assert "200 OK" in await visit()
    await trade.rome.kubectl("delete", "pod", "at-home", *trade.here)
    await eventually(partial(addresses, trade.milan, chosen), is_=[pods[1]])


async def addresses(site: Site, chosen: tuple[str, ...]) -> list[str]:
    slices = (await read(site, "endpointslices", *chosen))["items"]
    return [
        address
        for each in slices
        for endpoint in each.get("endpoints") or ()
        if endpoint["conditions"].get("ready")
        for address in endpoint["addresses"]
    ]


async def test_a_kubelet_that_starts_anew_writes_nothing_where_nothing_has_changed(
    trade: Shop,
) -> None:
    """As Milan's API server has it in its audit log: what came since is all that is written."""
    await trade.put(*ALL)
    for thing in (*THINGS, *ENDPOINTS, "configmap/kube-root-ca.crt.rome"):
        await eventually(partial(trade.theirs, thing), bool)
    # Kubernetes makes one of the Service, too, in its own time.
    of_service = ("shadowendpointslices", "-l", "kubernetes.io/service-name=web", *trade.there)
    await eventually(partial(trade.milan.kubectl, "get", *of_service, "-o", "name"), bool)
    old = await only(trade.rome)
    began = time.time()
    await trade.rome.kubectl("delete", "pod", old, "-n", TENANT)
    await rolled_out(trade.rome)
    await trade.put(config_map("later"))
    await eventually(partial(trade.theirs, "configmap/later"), bool)
    assert written(trade, began) == {("patch", "configmaps", "later")}


def written(trade: Shop, since: float) -> set[tuple[str, str, str]]:
    """What anybody but Milan itself wrote there since then: verb, kind and name."""
    milan = trade.milan
    logs = milan.folder_of(milan.cluster.control_plane) / "logs"
    found = set()
    for path in logs.glob("audit*.log"):
        whole, _, _ = path.read_bytes().rpartition(b"\n")
        for entry in map(json.loads, whole.splitlines()):
            about = entry.get("objectRef", {})
            came = datetime.fromisoformat(entry["requestReceivedTimestamp"]).timestamp()
            is_theirs = not entry["user"]["username"].startswith("system:")
            is_write = entry["verb"] not in ("get", "list", "watch")
            if (
                came >= since
                and is_theirs
                and is_write
                and about.get("namespace") == trade.there[1]
            ):
                found.add((entry["verb"], about["resource"], about["name"]))
    return found
