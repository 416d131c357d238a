"""Virtual kubelets, from outside: their processes, their options, their leases, their figures."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from functools import partial
from uuid import uuid4

from liqo.api.meta import JSON
from liqo.playground.cluster import Site
from tests.e2e.eventually import eventually
from tests.e2e.offloaded import TENANT, read

OPTIONS = "vkoptionstemplates.offloading.liqo.io"
NODES = "virtualnodes.offloading.liqo.io"
DEFAULT = "virtual-kubelet-default"
REFLECTION = "virtual-kubelet-leader-election"
PORT = 5872
PATIENCE = 180  # seconds: a new kubelet starts, and the old one ends and lets go


async def kubelets(rome: Site, node: str = "milan") -> dict[str, str]:
    """Names and uids of the pods that are this node's kubelets, and are not on their way out."""
    found = [pod["metadata"] for pod in await all_kubelets(rome, node)]
    return {each["name"]: each["uid"] for each in found if "deletionTimestamp" not in each}


async def all_kubelets(rome: Site, node: str = "milan") -> list[JSON]:
    """Also those on their way out, which may still be at work."""
    chosen = f"liqo.io/virtual-node={node},offloading.liqo.io/component=virtual-kubelet"
    found: list[JSON] = (await read(rome, "pods", "-A", "-l", chosen))["items"]
    return found


async def only(rome: Site, node: str = "milan") -> str:
    """The pod of the one kubelet that this node has, as soon as there is no other."""
    [pod] = await eventually(lambda: kubelets(rome, node), lambda found: len(found) == 1)
    return pod


async def rolled_out(rome: Site, node: str = "milan") -> None:
    """Also one whose VirtualNode has only just been made."""
    where = (f"deployment/vk-{node}", "-n", TENANT)
    await eventually(lambda: rome.kubectl("get", *where), bool)
    await rome.kubectl("rollout", "status", *where, f"--timeout={PATIENCE}s")


async def holder(rome: Site, lease: str) -> str:
    path = "jsonpath={.spec.holderIdentity}"
    return await rome.kubectl("get", "lease", lease, "-n", TENANT, "-o", path)


async def leader(rome: Site, lease: str, *nodes: str) -> str:
    """Who holds it, if that is a kubelet of these nodes, and stays; else nobody."""
    holding = await holder(rome, lease)
    there = [name for node in nodes for name in await kubelets(rome, node)]
    return holding if holding in there else ""


async def taken_over(
    rome: Site, before: Collection[str], lease: str = "milan", node: str = "milan"
) -> None:
    """Another kubelet than those before holds the lease.

    Until then they decide, by their old options, also when all that is new has been rolled out.
    """
    await eventually(
        partial(leader, rome, lease, node),
        lambda name: name != "" and name not in before,
        within=PATIENCE,
    )


async def metrics(rome: Site, node: str = "milan") -> str:
    """What Prometheus would read."""
    path = f"/api/v1/namespaces/{TENANT}/pods/{await only(rome, node)}:{PORT}/proxy/metrics"
    return await rome.kubectl("get", "--raw", path)


async def change(rome: Site, options: str, spec: JSON) -> None:
    patch = json.dumps({"spec": spec})
    await rome.kubectl("patch", OPTIONS, options, "-n", "liqo", "--type=merge", "-p", patch)


async def use(rome: Site, node: str, options: str | None) -> None:
    """None: the default again."""
    ref = {"name": options, "namespace": "liqo"} if options else None
    patch = json.dumps({"spec": {"vkOptionsTemplateRef": ref}})
    await rome.kubectl("patch", NODES, node, "-n", TENANT, "--type=merge", "-p", patch)


@asynccontextmanager
async def own_options(rome: Site, node: str = "milan") -> AsyncIterator[str]:
    """Options for the kubelet of this node alone: the default ones, until the test changes them.

    In the end it is started as it was before, and alone: who comes next finds no change under way.
    """
    name = f"options-{uuid4().hex[:6]}"
    usual = await template(rome, node)
    await put_options(rome, name)
    try:
        await use(rome, node, name)
        yield name
    finally:
        await use(rome, node, None)
        await rome.kubectl("delete", OPTIONS, name, "-n", "liqo")
        await eventually(partial(template, rome, node), is_=usual)
        await rolled_out(rome, node)
        await only(rome, node)


@asynccontextmanager
async def without_kubelet(rome: Site, node: str = "milan") -> AsyncIterator[None]:
    """None of this node's runs, as long as this lasts; then one does, and holds its lease."""
    try:
        async with own_options(rome, node) as options:
            await change(rome, options, {"replicas": 0})
            await eventually(partial(all_kubelets, rome, node), is_=[])
            yield
    finally:
        await eventually(partial(leader, rome, node, node), bool, within=PATIENCE)


async def template(rome: Site, node: str) -> JSON:
    """How its kubelet is started."""
    found: JSON = (await read(rome, f"deployment/vk-{node}", "-n", TENANT))["spec"]["template"]
    return found


async def put_options(rome: Site, name: str, more: JSON | None = None) -> None:
    usual = await read(rome, f"{OPTIONS}/{DEFAULT}", "-n", "liqo")
    body = {
        "apiVersion": usual["apiVersion"],
        "kind": usual["kind"],
        "metadata": {"name": name, "namespace": "liqo"},
        "spec": {**usual["spec"], **(more or {})},
    }
    await rome.kubectl("create", "-f", "-", text=json.dumps(body))


async def put_node(rome: Site, name: str, more: JSON, options: str = DEFAULT) -> None:
    """A VirtualNode of Milan's, beside that of the slice and with its credential."""
    first = await read(rome, f"{NODES}/milan", "-n", TENANT)
    marks = {"liqo.io/remote-cluster-id": "milan"}
    kept = ("clusterID", "kubeconfigSecretRef", "resourceQuota", "labels")
    spec = {field: first["spec"][field] for field in kept}
    body = {
        "apiVersion": first["apiVersion"],
        "kind": first["kind"],
        "metadata": {"name": name, "namespace": TENANT, "labels": marks},
        "spec": {**spec, "vkOptionsTemplateRef": {"name": options, "namespace": "liqo"}, **more},
    }
    await rome.kubectl("create", "-f", "-", text=json.dumps(body))
