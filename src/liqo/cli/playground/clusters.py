"""up, down, status."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from liqo.cli.lazy import examples
from liqo.cli.output import Format, Output
from liqo.cli.playground import context
from liqo.cli.playground.context import in_playground
from liqo.playground.errors import next_step
from liqo.playground.layout import Options, Simulated

if TYPE_CHECKING:
    from liqo.playground.status import ClusterStatus

TUTORIAL = ("venice", "florence", "naples")


def pairs(
    _: click.Context, option: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """NAME=VALUE, repeated."""
    split = tuple(value.partition("=") for value in values)
    for (name, equals, content), value in zip(split, values, strict=True):
        if not (name and equals and content):
            raise click.BadParameter(f'"{value}" is not of the form NAME=VALUE')
    return tuple((name, content) for name, _, content in split)


@click.command(
    epilog=examples(
        "liqoctl playground up",
        "liqoctl playground up --install",
        "liqoctl playground up rome milan --workers 1",
        "liqoctl playground up rome --kwok 10 --kwok-resource nvidia.com/gpu=8",
        "liqoctl playground up rome --flag kube-scheduler=--v=4",
    ),
    help="Make the clusters NAME… (default: venice florence naples), or what is missing of them, "
    "and write liqo_kubeconf_<name> into the current folder.",
)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@in_playground
@click.option("--workers", type=click.IntRange(0), default=0, help="Further real nodes.")
@click.option("--kwok", type=click.IntRange(0), default=0, help="Simulated nodes.")
@click.option("--kwok-cpu", default="32", show_default=True, help="CPU of each simulated node.")
@click.option("--kwok-memory", default="256Gi", show_default=True, help="Memory of each.")
@click.option(
    "--kwok-resource",
    metavar="NAME=QUANTITY",
    multiple=True,
    callback=pairs,
    help="Another resource of each simulated node; may be repeated.",
)
@click.option("--pod-cidr", default="", help="Addresses of pods; two clusters may use the same.")
@click.option("--service-cidr", default="", help="Addresses of Services.")
@click.option("--flat", is_flag=True, help="Routes between the pods of all flat clusters.")
@click.option("--kubernetes-version", default="", metavar="VERSION", help="One of those built.")
@click.option(
    "--cluster-signing-duration",
    default="",
    metavar="DURATION",
    help="Lifetime of the certificates that the cluster signs, such as 60s.",
)
@click.option("--audit", is_flag=True, help="Keep an audit log of the API server.")
@click.option(
    "--flag",
    "flags",
    metavar="COMPONENT=--name=value",
    multiple=True,
    callback=pairs,
    help="A flag for a component; may be repeated.",
)
@click.option("--network", default="", metavar="CIDR", help="A /24 for the nodes; else a free one.")
@click.option("--install", is_flag=True, help="Install Liqo on all of them, built from here.")
def up(names: tuple[str, ...], playground_name: str, network: str, **given: Any) -> None:
    async def work(out: Output) -> None:
        from liqo.playground.playground import Playground

        playground = Playground(playground_name, out.info, network)
        made = await playground.up(names or TUTORIAL, options(**given))
        for site in made:
            out.info(f"wrote {playground.write_kubeconfig(site, Path.cwd()).name}")
        if given["install"]:
            from liqo.cli.playground.installing import install_all

            await install_all(made, out.info)
        out.info(f'next: eval "$({next_step(playground_name, "env")})" && kubectl get nodes')

    context.run(work)


def options(**given: Any) -> Options:
    """The values of the options of `up`, by their names."""
    resources = tuple(given["kwok_resource"])
    return Options(
        workers=given["workers"],
        simulated=Simulated(given["kwok"], given["kwok_cpu"], given["kwok_memory"], resources),
        pod_cidr=given["pod_cidr"],
        service_cidr=given["service_cidr"],
        flat=given["flat"],
        kubernetes_version=given["kubernetes_version"],
        signing_duration=given["cluster_signing_duration"],
        audit=given["audit"],
        flags=given["flags"],
    )


@click.command(
    epilog=examples("liqoctl playground down", "liqoctl playground down naples"),
    help="Remove the clusters NAME…, or the whole playground: processes, containers, mounts, "
    "namespaces, links, control groups and files. Works after a crash too.",
)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@in_playground
def down(names: tuple[str, ...], playground_name: str) -> None:
    async def work(out: Output) -> None:
        from liqo.playground.playground import Playground

        await Playground(playground_name, out.info).down(names)
        what = ", ".join(names) or f'the playground "{playground_name}"'
        out.info(f"removed {what}")

    context.run(work)


@click.command(
    epilog=examples("liqoctl playground status", "liqoctl playground status -o json"),
    help="Show the clusters, their nodes, and every component with its process id, memory and "
    "health.",
)
@in_playground
@click.option(
    "-o",
    "--output",
    "form",
    type=click.Choice(["table", "json", "yaml"]),
    default="table",
    show_default=True,
    help="How to print it.",
)
def status(playground_name: str, form: Format) -> None:
    async def work(out: Output) -> None:
        from liqo.playground.playground import Playground
        from liqo.playground.status import status as status_of

        found = await status_of(await Playground(playground_name, out.info).sites())
        if form == "table":
            out.table(
                ("CLUSTER", "NODE", "READY", "COMPONENT", "PID", "MEMORY", "HEALTH"), rows(found)
            )
        else:
            out.document([asdict(cluster) for cluster in found], form)

    context.run(work)


def rows(found: list[ClusterStatus]) -> list[tuple[str, ...]]:
    return [
        (
            cluster.name,
            node.name,
            node.ready,
            component.name,
            str(component.pid or "-"),
            f"{component.memory >> 20}Mi",
            component.health,
        )
        for cluster in found
        for node in cluster.nodes
        for component in node.components
    ]
