"""cut, delay, heal, pause, resume, kill, start: what goes wrong in real life, on purpose."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import click

from liqo.cli.flags import Duration
from liqo.cli.lazy import examples
from liqo.cli.output import Output
from liqo.cli.playground import context
from liqo.cli.playground.context import in_playground
from liqo.playground.errors import next_step

if TYPE_CHECKING:
    from liqo.playground.faults import Target

WHAT = (
    "COMPONENT is apiserver, etcd, controller-manager, scheduler, kubelet, kube-proxy, "
    "containerd, the word node for all of a node, or NAMESPACE/POD."
)

on_node = click.option(
    "--node", "node_name", default="", metavar="NODE", help="Which node; else the control plane's."
)


@click.command(
    epilog=examples("liqoctl playground cut venice florence"),
    help="Let nothing pass between the clusters A and B, as when a cable is pulled: connections "
    "are not closed, they fall silent.",
)
@click.argument("a")
@click.argument("b")
@in_playground
def cut(a: str, b: str, playground_name: str) -> None:
    async def work(out: Output) -> None:
        from liqo.playground import links
        from liqo.playground.playground import Playground

        await links.cut(Playground(playground_name).existing(), a, b)
        undo = next_step(playground_name, "heal", a, b)
        out.info(f"nothing passes between {a} and {b}; undo: {undo}")

    context.run(work)


@click.command(
    epilog=examples("liqoctl playground heal venice florence"),
    help="Make the link between the clusters A and B good again: neither cut nor slow.",
)
@click.argument("a")
@click.argument("b")
@in_playground
def heal(a: str, b: str, playground_name: str) -> None:
    async def work(out: Output) -> None:
        from liqo.playground import links
        from liqo.playground.playground import Playground

        await links.heal(Playground(playground_name).existing(), a, b)
        out.info(f"the link between {a} and {b} is good")

    context.run(work)


@click.command(
    epilog=examples("liqoctl playground delay venice florence 50ms"),
    help="Make every packet between the clusters A and B take DURATION longer, each way.",
)
@click.argument("a")
@click.argument("b")
@click.argument("duration", type=Duration())
@in_playground
def delay(a: str, b: str, duration: float, playground_name: str) -> None:
    async def work(out: Output) -> None:
        from liqo.playground import links
        from liqo.playground.playground import Playground

        await links.slow_down(Playground(playground_name).existing(), a, b, duration)
        out.info(f"{a} and {b} are {duration * 1000:g} ms apart, each way")

    context.run(work)


@click.command(
    epilog=examples("liqoctl playground pause venice", "liqoctl playground pause venice etcd"),
    help=f"Freeze a COMPONENT of the cluster NAME (the API server, if none is named). {WHAT}",
)
@click.argument("name")
@click.argument("component", default="apiserver")
@on_node
@in_playground
def pause(name: str, component: str, node_name: str, playground_name: str) -> None:
    from liqo.playground import faults

    act(faults.pause, "paused", (name, component, node_name), playground_name)


@click.command(
    epilog=examples("liqoctl playground resume venice"),
    help=f"Let a frozen COMPONENT of the cluster NAME go on. {WHAT}",
)
@click.argument("name")
@click.argument("component", default="apiserver")
@on_node
@in_playground
def resume(name: str, component: str, node_name: str, playground_name: str) -> None:
    from liqo.playground import faults

    act(faults.resume, "resumed", (name, component, node_name), playground_name)


@click.command(
    epilog=examples(
        "liqoctl playground kill venice apiserver",
        "liqoctl playground kill venice node --node venice-worker-1",
        "liqoctl playground kill venice default/demo",
    ),
    help=f"Kill a COMPONENT of the cluster NAME with SIGKILL; it stays dead until `start`. {WHAT}",
)
@click.argument("name")
@click.argument("component")
@on_node
@in_playground
def kill(name: str, component: str, node_name: str, playground_name: str) -> None:
    from liqo.playground import faults

    act(faults.kill, "killed", (name, component, node_name), playground_name)


@click.command(
    epilog=examples("liqoctl playground start venice apiserver"),
    help=f"Start a killed COMPONENT of the cluster NAME, and wait until it is well. {WHAT}",
)
@click.argument("name")
@click.argument("component")
@on_node
@in_playground
def start(name: str, component: str, node_name: str, playground_name: str) -> None:
    from liqo.playground import faults

    act(faults.start, "started", (name, component, node_name), playground_name)


def act(
    fault: Callable[[Target], Awaitable[None]],
    done: str,
    what: tuple[str, str, str],
    playground_name: str,
) -> None:
    name, component, node_name = what

    async def work(out: Output) -> None:
        from liqo.playground.faults import target
        from liqo.playground.playground import Playground

        [site] = await Playground(playground_name, out.info).sites([name])
        goal = target(site, component, node_name)
        await fault(goal)
        out.info(f"{done} {goal}")

    context.run(work)
