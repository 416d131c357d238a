"""liqoctl info: an installation of Liqo, and its peers."""

from __future__ import annotations

from typing import Literal

import click

from liqo.cli import flags
from liqo.cli.call import Call, one_cluster
from liqo.cli.lazy import LazyGroup, Verb, examples

Form = Literal["json", "yaml"]


@click.group(
    "info",
    cls=LazyGroup,
    verbs={"peer": Verb("liqo.cli.info", "How things stand with each peer", "about_peers")},
    invoke_without_command=True,
    help="The installation of Liqo in this cluster: its ID and labels, its health, its peers.",
    epilog=examples(
        "liqoctl info",
        "liqoctl info --verbose",
        "liqoctl info --get clusterID",
        "liqoctl info peer",
    ),
)
@flags.output_format("json", "yaml")
@flags.get_path
@flags.liqo_namespace()
@one_cluster
async def command(call: Call, liqo_namespace: str, form: Form | None, path: str) -> None:
    from liqo.cli.info.telling import tell_local

    await tell_local(call, liqo_namespace, form, path)


@click.command(
    "peer",
    help="How things stand with each peer, or with those named: the network, the credentials, "
    "the resources that are shared and the virtual nodes made of them.",
    epilog=examples(
        "liqoctl info peer",
        "liqoctl info peer milan",
        "liqoctl info peer milan --get authentication.resourceSlices",
    ),
)
@click.argument("ids", metavar="[ID]...", nargs=-1)
@flags.output_format("json", "yaml")
@flags.get_path
@flags.liqo_namespace()
@one_cluster
async def about_peers(
    call: Call, ids: tuple[str, ...], liqo_namespace: str, form: Form | None, path: str
) -> None:
    from liqo.cli.info.telling import tell_peers

    await tell_peers(call, ids, liqo_namespace, form, path)
