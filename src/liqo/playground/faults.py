"""Processes that freeze or die, on purpose; links that fail are in links.py."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from liqo.playground import cgroups, cluster, node, processes
from liqo.playground.cluster import Site
from liqo.playground.errors import PlaygroundError
from liqo.playground.layout import Node
from liqo.playground.processes import Process
from liqo.playground.waiting import until

PATIENCE = 10.0  # seconds for a signal to show its effect
WHOLE_NODE = "node"


@dataclass(frozen=True)
class Target:
    """What a fault is done to: a component, a whole node, or the processes of a pod."""

    site: Site
    member: Node
    what: str

    @property
    def is_pod(self) -> bool:
        return "/" in self.what


def target(site: Site, what: str, member_name: str = "") -> Target:
    members = {member.name: member for member in site.cluster.nodes}
    if member_name and member_name not in members:
        known = ", ".join(members)
        raise PlaygroundError(
            f'there is no node "{member_name}" in "{site.cluster.name}" (there: {known})'
        )
    member = members[member_name] if member_name else site.cluster.control_plane
    if "/" not in what and what != WHOLE_NODE:
        what = cluster.component_named(site, member, what).name
    return Target(site, member, what)


async def pause(goal: Target) -> None:
    processes.send(signal.SIGSTOP, await victims(goal))


async def resume(goal: Target) -> None:
    processes.send(signal.SIGCONT, await victims(goal))


async def kill(goal: Target) -> None:
    """With SIGKILL, and without anybody who starts it again but a kubelet its containers."""
    found = await victims(goal)
    if goal.what == WHOLE_NODE:
        await node.destroy(goal.member.namespace, goal.member.cgroup)
        return
    processes.send(signal.SIGKILL, found)
    await until(
        lambda: not any(map(processes.exists, found)),
        PATIENCE,
        lambda: f'{goal.what} of "{goal.member.name}" does not end',
    )


async def start(goal: Target) -> None:
    """What was killed, and wait until it is well again."""
    if goal.is_pod:
        raise PlaygroundError(
            f"{goal.what} is a pod: its kubelet starts it again, there is nothing to do"
        )
    site, member = goal.site, goal.member
    if goal.what == WHOLE_NODE:
        await cluster.restart(site, member)
        return
    component = cluster.component_named(site, member, goal.what)
    await node.launch(member, site.folder_of(member), component, site.executables)
    await cluster.healthy(site, member, component.name)


async def victims(goal: Target) -> list[Process]:
    if goal.is_pod:
        return await processes_of_pod(goal)
    if goal.what == WHOLE_NODE:
        return node.all_processes(goal.member)
    found = node.running(goal.member).get(goal.what)
    if found is None:
        raise PlaygroundError(
            f'{goal.what} of "{goal.member.name}" is not running; start it with: '
            f"liqoctl playground start {goal.site.cluster.name} {goal.what}"
        )
    return [found]


async def processes_of_pod(goal: Target) -> list[Process]:
    """Those of its containers, not the one that holds its network."""
    namespace, _, name = goal.what.partition("/")
    where = ("--namespace", namespace, "pod", name)
    found = await goal.site.kubectl(
        "get", *where, "-o", "jsonpath={.metadata.uid} {.spec.nodeName}"
    )
    uid, _, node_name = found.partition(" ")
    member = target(goal.site, WHOLE_NODE, node_name).member
    inside = map(processes.read, cgroups.processes(member.cgroup, containing=uid))
    return [process for process in inside if process and process.name != "pause"]
