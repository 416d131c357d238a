"""The words of liqoctl offload and unoffload: what each command takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from liqo.cli import flags
from liqo.cli.call import Call, one_cluster
from liqo.cli.lazy import examples

F = TypeVar("F", bound=Callable[..., Any])

PODS = ("LocalAndRemote", "Local", "Remote")
NAMES = ("DefaultName", "EnforceSameName", "SelectedName")


class LabelSelector(click.ParamType[str]):
    """`region=south,!gpu`, as it was written."""

    name = "selector"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from liqo.rules.labelselectors import term

        try:
            term(value)
        except ValueError as wrong:
            self.fail(str(wrong), param, ctx)
        return value


def of_namespaces(verb: F) -> F:
    """Which namespaces: by their names, by a selector, or both."""
    selector = click.option(
        "--ns-selector",
        type=LabelSelector(),
        metavar="SELECTOR",
        default=None,
        help="Namespaces with these labels, besides those that are named.",
    )
    return click.argument("names", metavar="[NAME]...", nargs=-1)(selector(verb))


@click.command(
    "namespace",
    help="Extend the namespaces NAME… to the clusters that are borrowed from: each gets a twin in "
    "every selected cluster, and its pods may run there. Done again it changes what was said "
    "before; what a namespace is called there cannot be changed.",
    epilog=examples(
        "liqoctl offload namespace shop",
        "liqoctl offload namespace shop --pod-offloading-strategy Remote",
        "liqoctl offload namespace shop -l topology.liqo.io/region=south -l tier=gold",
        "liqoctl offload namespace shop --namespace-mapping-strategy EnforceSameName",
        "liqoctl offload namespace --ns-selector team=a",
        "liqoctl offload namespace shop -o yaml | kubectl apply -f -",
    ),
)
@of_namespaces
@click.option(
    "--pod-offloading-strategy",
    "pods",
    type=click.Choice(PODS),
    default=PODS[0],
    show_default=True,
    help="Where pods may run: here, there, or both.",
)
@click.option(
    "--namespace-mapping-strategy",
    "mapping",
    type=click.Choice(NAMES),
    default=NAMES[0],
    show_default=True,
    help="What it is called there: NAME-ID, with the ID of this cluster; the same; or as said.",
)
@click.option(
    "--remote-namespace-name",
    "remote_name",
    metavar="NAME",
    default="",
    help="What it is called there, with the strategy SelectedName.",
)
@click.option(
    "--selector",
    "-l",
    "selectors",
    type=LabelSelector(),
    metavar="SELECTOR",
    multiple=True,
    help="Clusters whose virtual nodes have these labels; all, unless said. Repeated: or those.",
)
@flags.liqo_namespace()
@flags.timeout("20s")
@flags.output_format()
@one_cluster
async def offload_namespace(
    call: Call, names: tuple[str, ...], ns_selector: str | None, **said: Any
) -> None:
    from liqo.cli.offload.choice import Choice
    from liqo.cli.offload.extending import offload, show
    from liqo.cli.offload.policy import policy

    choice = Choice(names, ns_selector or "")
    wanted = policy(said)
    if said["form"]:
        await show(call, choice, wanted, said["form"])
    else:
        await offload(call, choice, wanted, said["liqo_namespace"], said["timeout"])


@click.command(
    "namespace",
    help="Take the namespaces NAME… back. Pods that run elsewhere are made again here by their "
    "owners; then the twins are deleted, with all that is in them. What would be lost is told "
    "first.",
    epilog=examples(
        "liqoctl unoffload namespace shop",
        "liqoctl unoffload namespace shop market --skip-confirm",
        "liqoctl unoffload namespace --ns-selector team=a",
    ),
)
@of_namespaces
@flags.liqo_namespace()
@flags.timeout("120s")
@one_cluster
async def unoffload_namespace(
    call: Call, names: tuple[str, ...], ns_selector: str | None, timeout: float, **_: str
) -> None:
    from liqo.cli.offload.choice import Choice
    from liqo.cli.offload.returning import unoffload

    await unoffload(call, Choice(names, ns_selector or ""), timeout)
