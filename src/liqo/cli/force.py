"""liqoctl force: for a cluster that will never answer again."""

from __future__ import annotations

import click

from liqo.cli import flags
from liqo.cli.call import Call, one_cluster
from liqo.cli.lazy import LazyGroup, Verb, examples

command = LazyGroup(
    name="force",
    verbs={"unpeer": Verb("liqo.cli.force", "Forget a cluster that is gone for good", "unpeer")},
    help="Do without the other cluster's help.",
    epilog=examples("liqoctl force unpeer milan"),
)


@click.command(
    "unpeer",
    help="Forget everything of the cluster CLUSTER_ID, which is gone for good.",
    epilog=examples("liqoctl force unpeer milan"),
)
@click.argument("cluster_id")
@flags.timeout("120s")
@one_cluster
async def unpeer(call: Call, cluster_id: str, timeout: float) -> None:
    from liqo.cli.peering.forgetting import forget

    call.out.confirm("force unpeer", skip=call.settings.skip_confirm)
    async with call.cluster() as cluster:
        await forget(call, cluster, cluster_id, timeout)
