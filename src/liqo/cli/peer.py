"""liqoctl peer: from two clusters that do not know each other to a slice of one in the other."""

from __future__ import annotations

from typing import Any

import click

from liqo.cli import flags, values
from liqo.cli.call import Call, two_clusters
from liqo.cli.lazy import LazyGroup, Verb, examples
from liqo.cli.peering import network


@click.group(
    "peer",
    cls=LazyGroup,
    verbs={
        "out-of-band": Verb(
            "liqo.cli.outofband", "With the command that a provider printed", "peer", ("oob",)
        )
    },
    invoke_without_command=True,
    help="Let the local cluster borrow from the remote one.",
    epilog=examples(
        "liqoctl peer --remote-kubeconfig milan.yaml",
        "liqoctl peer --remote-kubeconfig milan.yaml --cpu 4 --memory 8Gi",
        "liqoctl peer --remote-kubeconfig milan.yaml --dry-run",
    ),
)
@flags.timeout("10m")
@flags.liqo_namespace()
@flags.remote_namespace
@flags.switch("--networking-disabled", default=False, help="Do not connect the networks.")
@flags.switch("--create-resource-slice", default=True, help="Ask for resources too.")
@click.option(
    "--resource-slice-class", default="default", show_default=True, help="Who answers the request."
)
@flags.switch("--create-virtual-node", default=True, help="Make a node of what is granted.")
@flags.switch("--in-band", default=False, help="Reach the API server through the tunnel.")
@click.option("--proxy-url", default="", metavar="URL", help="Reach the API server through it.")
@values.resource_flags()
@flags.switch("--dry-run", default=False, help="Print what would be made, and make nothing.")
@two_clusters
async def command(
    call: Call,
    timeout: float,
    liqo_namespace: str,
    remote_namespace: str,
    dry_run: bool,
    **said: Any,
) -> None:
    from liqo.cli.peering.making import Terms, make
    from liqo.cli.peering.sides import both

    terms = Terms(**said)
    where = {"liqo_namespace": liqo_namespace, "remote_namespace": remote_namespace}
    async with both(call, timeout, **where) as pair:
        if dry_run:
            from liqo.cli.peering.outlook import outlook

            call.out.text(await outlook(pair, terms))
            return
        if not terms.networking_disabled:
            call.out.warning(network.MISSING)
        await make(pair, terms)


command.params.extend(network.options())
