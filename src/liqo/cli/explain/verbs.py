"""The words of liqoctl explain: what each command takes."""

from __future__ import annotations

from typing import Literal

import click

from liqo.cli import flags
from liqo.cli.call import Call, one_cluster
from liqo.cli.lazy import examples


@click.command(
    "capacity",
    help="Why the virtual node NODE offers what it offers: the sum behind every amount, what its "
    "pods ask for and what is left, how large a pod may be to fit on one node of the provider, "
    "and which pods no longer fit.",
    epilog=examples(
        "liqoctl explain capacity milan",
        "liqoctl explain capacity milan -o json",
    ),
)
@click.argument("node", metavar="NODE")
@flags.object_namespace("wherever the VirtualNode is found by its name")
@flags.output_format("json", "yaml")
@one_cluster
async def capacity(
    call: Call, node: str, namespace: str, form: Literal["json", "yaml"] | None
) -> None:
    from liqo.cli.explain.telling import tell

    await tell(call, node, namespace, form)
