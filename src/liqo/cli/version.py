"""liqoctl version: of this program, and of the installation in a cluster."""

from __future__ import annotations

import re
import sys

import click

from liqo.cli import flags
from liqo.cli.call import Call, one_cluster
from liqo.cli.lazy import examples
from liqo.errors import LiqoError


@click.command(
    "version",
    help="The version of this program, and that of Liqo in the cluster.",
    epilog=examples("liqoctl version", "liqoctl version --client"),
)
@flags.switch("--client", default=False, help="Do not ask the cluster.")
@flags.liqo_namespace()
@one_cluster
async def command(call: Call, client: bool, liqo_namespace: str) -> None:
    from importlib import metadata

    ours = metadata.version("liqo")
    call.out.result(f"Client version: {ours}")
    if client:
        return
    try:
        theirs = await _server(call, liqo_namespace)
    except LiqoError as unknown:
        call.out.result("Server version: Unknown")
        call.out.warning(f"Failed to retrieve Liqo server version: {unknown}")
        call.out.warning(
            "is Liqo installed, in that namespace, and may you read its Deployments? "
            "See: liqoctl info"
        )
        sys.exit(1)
    call.out.result(f"Server version: {theirs}")
    if released(theirs) != ours:
        call.out.warning(
            "The version of liqoctl does not match the Liqo server version. "
            "This might cause unexpected behaviors."
        )


def released(tag: str) -> str:
    """Without what the playground adds to tell one build from the next."""
    return re.sub(r"-[0-9a-f]{16}$", "", tag.removeprefix("v"))


async def _server(call: Call, namespace: str) -> str:
    from liqo.api.kubernetes import Deployment
    from liqo.cli import release
    from liqo.cli.info.facts import IMPATIENT
    from liqo.kube.paths import Scope

    scope = Scope(namespace=namespace, labels=release.SELECTOR)
    async with call.cluster(IMPATIENT) as cluster:
        found = await cluster.list(Deployment, scope=scope)
    return release.version(release.controllers(found.items))
