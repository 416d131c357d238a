"""Processes that freeze or die, on purpose; links that fail are in links.py."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from liqo.playground import cgroups, cluster, node, processes
from liqo.playground.cluster import Site
from liqo.playground.errors import PlaygroundError, next_step
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

    def __str__(self) -> str:
        if self.is_pod:
            return f'the pod {self.what} of "{self.site.cluster.name}"'
        if self.what == WHOLE_NODE:
            return f'the node "{self.member.name}"'
        return f'{self.what} of "{self.member.name}"'


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
        lambda: f"{goal} does not end",
    )


async def start(goal: Target) -> None:
    """What was killed, and wait until it is well again."""
    if goal.is_pod:
        raise PlaygroundError(f"{goal} is started again by its kubelet: there is nothing to do")
    site, member = goal.site, goal.member
    if goal.what == WHOLE_NODE:
        await cluster.restart(site, member)
        return
    component = cluster.component_named(site, member, goal.what)
    await node.launch(member, site.folder_of(member), component, site.executables)
    await cluster.healthy(site, member, component.name)


async def victims(goal: Target) -> list[Process]:
    """What the fault is done to; where there is nothing, it says so."""
    if goal.is_pod:
        return await processes_of_pod(goal)
    if goal.what == WHOLE_NODE:
        found = node.all_processes(goal.member)
    else:
        found = [process for process in node.every(goal.member) if process.name == goal.what]
    if not found:
        member = goal.member
        again = next_step(
            member.playground, "start", member.cluster, goal.what, *node.named(member)
        )
        raise PlaygroundError(f"{goal} is not running; start it with: {again}")
    return found


async def processes_of_pod(goal: Target) -> list[Process]:
    """Those of its containers, not the one that holds its network."""
    namespace, _, name = goal.what.partition("/")
    where = ("--namespace", namespace, "pod", name, "--ignore-not-found")
    fields = "jsonpath={.metadata.uid} {.spec.nodeName}"
    uid, _, place = (await goal.site.kubectl("get", *where, "-o", fields)).partition(" ")
    if not uid:
        raise PlaygroundError(f"{goal} does not exist; kubectl get pods -A lists those that do")
    inside = [
        process
        for member in goal.site.cluster.nodes
        if member.name == place
        for process in map(processes.read, cgroups.processes(member.cgroup, containing=uid))
        if process and process.name != "pause"
    ]
    if not inside:
        where_it_is = f'on "{place}"' if place else "on no node yet"
        raise PlaygroundError(
            f"{goal} has no processes ({where_it_is}): it does not run, or it is simulated"
        )
    return inside
