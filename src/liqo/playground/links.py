"""Links between two clusters that carry nothing, or carry it late, on purpose."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterable

from liqo.playground import delay, network, node, processes, store
from liqo.playground.errors import PlaygroundError
from liqo.playground.layout import Layout, Node
from liqo.playground.waiting import until

PATIENCE = 10.0  # seconds for a link to come or go


async def cut(known: Layout, one: str, other: str) -> None:
    """Nothing passes between the two any more, established connections included."""
    await change_cuts(known, store.cuts(known.name) | {pair(known, one, other)})


async def heal(known: Layout, one: str, other: str) -> None:
    """The link as it was: not cut, not slow."""
    await change_cuts(known, store.cuts(known.name) - {pair(known, one, other)})
    for member, far in directions(known, one, other):
        await quicken(known, member, far)


async def slow_down(known: Layout, one: str, other: str, seconds: float) -> None:
    """Every packet between the two takes that much longer, each way."""
    pair(known, one, other)
    for member, far in directions(known, one, other):
        await quicken(known, member, far)
        await slow(known, member, far, seconds)


async def forget(known: Layout, gone: Iterable[str]) -> None:
    """Clusters that were removed take their faults along: others get their names and addresses."""
    cuts = store.cuts(known.name)
    kept = frozenset(both for both in cuts if both <= known.names)
    if kept != cuts:
        await change_cuts(known, kept)
    for name in gone:
        for member in known.nodes:
            await quicken(known, member, name)


async def change_cuts(known: Layout, cuts: frozenset[frozenset[str]]) -> None:
    store.write_cuts(known.name, cuts)  # a node that comes later is cut too
    await network.set_cuts(known, cuts)


def pair(known: Layout, one: str, other: str) -> frozenset[str]:
    if one == other:
        raise PlaygroundError(f'"{one}" is named twice: a link is between two clusters')
    return frozenset({known.cluster(one).name, known.cluster(other).name})


def directions(known: Layout, one: str, other: str) -> list[tuple[Node, str]]:
    """Every node of the two, with the cluster at the far end."""
    near, far = known.cluster(one), known.cluster(other)
    return [
        *((member, far.name) for member in near.nodes),
        *((member, near.name) for member in far.nodes),
    ]


async def slow(known: Layout, member: Node, far: str, seconds: float) -> None:
    device = delay.device(far)
    command = f"{sys.executable} -m liqo.playground.delay {device} {seconds}"
    await node.inside(member, "sh", "-c", f"exec {command} </dev/null >>{delay.LOG} 2>&1 &")
    await until(
        lambda: network.has_link(device, member.namespace),
        PATIENCE,
        lambda: f'the slow link of "{member.name}" does not come up: see {delay.LOG}',
    )
    peers = [peer for peer in known.nodes if peer.cluster == far]
    direct = [peer for peer in network.neighbours(known, member) if peer in peers]
    await network.inside(member.namespace, delay.routes(device, member, peers, direct))


async def quicken(known: Layout, member: Node, far: str) -> None:
    device = delay.device(far)
    if not await network.has_link(device, member.namespace):
        return
    await network.inside(member.namespace, delay.no_routes(device))
    own = [process for process in node.every(member) if delay.runs(process.pid, device)]
    processes.send(signal.SIGKILL, own)

    async def is_gone() -> bool:
        return not await network.has_link(device, member.namespace)

    await until(is_gone, PATIENCE, lambda: f'the slow link of "{member.name}" stays')
    await network.create_node(known, member)  # the routes that went through the device
