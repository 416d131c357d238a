"""How a playground is: clusters, nodes, components with their memory and health. As values."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass

from liqo.playground import cluster, node
from liqo.playground.cluster import Site
from liqo.playground.command import CommandError
from liqo.playground.components import components
from liqo.playground.errors import PlaygroundError
from liqo.playground.layout import Node
from liqo.playground.processes import Process


@dataclass(frozen=True)
class ComponentStatus:
    name: str
    pid: int | None
    memory: int  # resident, in bytes
    health: str  # "ok", or what is wrong


@dataclass(frozen=True)
class NodeStatus:
    name: str
    address: str
    ready: str  # what Kubernetes says: True, False or Unknown
    memory: int  # resident, of all its processes, those of pods included
    components: tuple[ComponentStatus, ...]


@dataclass(frozen=True)
class ClusterStatus:
    name: str
    server: str
    nodes: tuple[NodeStatus, ...]
    simulated: int


async def status(sites: list[Site]) -> list[ClusterStatus]:
    async with asyncio.TaskGroup() as tasks:
        asked = [tasks.create_task(status_of(site)) for site in sites]
    return [task.result() for task in asked]


async def status_of(site: Site) -> ClusterStatus:
    ready = await readiness(site)
    nodes = [
        await status_of_node(site, member, ready.get(member.name, "Unknown"))
        for member in site.cluster.nodes
    ]
    simulated = site.cluster.options.simulated.count
    return ClusterStatus(site.cluster.name, site.cluster.server, tuple(nodes), simulated)


async def status_of_node(site: Site, member: Node, ready: str) -> NodeStatus:
    names = [component.name for component in components(site.cluster, member)]
    running = node.running(member)
    awake = [name for name in names if name in running and not running[name].is_paused]
    health = await health_of(member, awake) if awake else {}
    return NodeStatus(
        name=member.name,
        address=member.address,
        ready=ready,
        memory=sum(process.memory for process in node.all_processes(member)),
        components=tuple(
            component_status(name, running.get(name), health.get(name, "")) for name in names
        ),
    )


def component_status(name: str, process: Process | None, health: str) -> ComponentStatus:
    if process is None:
        return ComponentStatus(name, None, 0, "not running")
    if process.is_paused:
        return ComponentStatus(name, process.pid, process.memory, "paused")
    return ComponentStatus(name, process.pid, process.memory, health)


async def health_of(member: Node, names: list[str]) -> dict[str, str]:
    try:
        return await cluster.probe(member, *names)
    except PlaygroundError as error:
        return dict.fromkeys(names, str(error))


async def readiness(site: Site) -> dict[str, str]:
    """Per node, as the API server has it; nothing when it does not answer."""
    try:
        answer = await site.kubectl("get", "nodes", "--request-timeout=3s", "-o", "json")
    except CommandError:
        return {}
    return {
        item["metadata"]["name"]: condition["status"]
        for item in json.loads(answer)["items"]
        for condition in item["status"].get("conditions", [])
        if condition["type"] == "Ready"
    }
