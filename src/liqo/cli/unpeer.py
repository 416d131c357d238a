"""liqoctl unpeer: the end of a peering, in the reverse order of its making."""

from __future__ import annotations

import click

from liqo.cli import flags
from liqo.cli.call import Call, two_clusters
from liqo.cli.lazy import LazyGroup, Verb, examples


@click.group(
    "unpeer",
    cls=LazyGroup,
    verbs={
        "out-of-band": Verb(
            "liqo.cli.outofband", "With the local kubeconfig alone", "unpeer", ("oob",)
        )
    },
    invoke_without_command=True,
    help="Give back what the local cluster borrowed from the remote one.",
    epilog=examples(
        "liqoctl unpeer --remote-kubeconfig milan.yaml",
        "liqoctl unpeer --remote-kubeconfig milan.yaml --delete-namespaces",
    ),
)
@flags.timeout("120s")
@flags.liqo_namespace()
@flags.remote_namespace
@flags.switch("--wait", default=True, help="Return when it is done.")
@flags.switch("--delete-namespaces", default=False, help="Delete the tenant namespaces too.")
@two_clusters
async def command(
    call: Call, timeout: float, wait: bool, delete_namespaces: bool, **where: str
) -> None:
    from liqo.cli.peering.ending import Wanted, unpeer

    await unpeer(call, Wanted(timeout, wait, delete_namespaces), **where)
