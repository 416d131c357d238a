"""liqoctl status: the older spelling of info, with the sections that older texts show."""

from __future__ import annotations

import click

from liqo.cli import flags
from liqo.cli.call import Call, one_cluster
from liqo.cli.lazy import LazyGroup, Verb, examples


@click.group(
    "status",
    cls=LazyGroup,
    verbs={"peer": Verb("liqo.cli.status", "Directions and resources of each peer", "about_peers")},
    invoke_without_command=True,
    help="The control plane of Liqo in this cluster, its ID, labels and networks. "
    "`liqoctl info` tells more.",
    epilog=examples(
        "liqoctl status",
        "liqoctl --kubeconfig liqo_kubeconf_florence status",
        "liqoctl status peer florence",
    ),
)
@flags.liqo_namespace()
@one_cluster
async def command(call: Call, liqo_namespace: str) -> None:
    from liqo.cli.status.telling import tell_local

    await tell_local(call, liqo_namespace)


@click.command(
    "peer",
    help="Each peer, or those named: which way resources go, and how many.",
    epilog=examples("liqoctl status peer", "liqoctl status peer milan"),
)
@click.argument("ids", metavar="[NAME]...", nargs=-1)
@flags.liqo_namespace()
@one_cluster
async def about_peers(call: Call, ids: tuple[str, ...], liqo_namespace: str) -> None:
    from liqo.cli.status.telling import tell_peers

    await tell_peers(call, ids, liqo_namespace)
