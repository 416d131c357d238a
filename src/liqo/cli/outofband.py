"""liqoctl peer out-of-band, unpeer out-of-band: with the command that a provider printed."""

from __future__ import annotations

import click

from liqo.cli import flags
from liqo.cli.call import Call, one_cluster
from liqo.cli.lazy import examples


@click.command(
    "out-of-band",
    help="Borrow from the cluster NAME, with what it printed: liqoctl generate peer-command. "
    "What it grants becomes the node liqo-NAME.",
    epilog=examples("liqoctl generate peer-command --only-command --kubeconfig milan.yaml | bash"),
)
@click.argument("name")
@click.option("--auth-url", required=True, metavar="URL", help="Its API server.")
@click.option("--cluster-id", required=True, metavar="ID", help="Its cluster ID.")
@click.option("--auth-token", required=True, metavar="TOKEN", help="Lets us ask, once.")
@click.option("--auth-ca", default="", metavar="BASE64", help="Who signed its certificate.")
@flags.timeout("120s")
@flags.liqo_namespace()
@one_cluster
async def peer(call: Call, name: str, cluster_id: str, timeout: float, **said: str) -> None:
    from liqo.cli.peering import outofband
    from liqo.cli.peering.claiming import Invitation

    invitation = Invitation(said["auth_url"], said["auth_token"], said["auth_ca"])
    home = outofband.Home(said["liqo_namespace"], timeout)
    await outofband.peer(call, home, outofband.Provider(name, cluster_id), invitation)


@click.command(
    "out-of-band",
    help="Give back what was borrowed from the cluster NAME. It is told by this cluster.",
    epilog=examples("liqoctl unpeer out-of-band milan"),
)
@click.argument("name")
@flags.timeout("120s")
@flags.liqo_namespace()
@one_cluster
async def unpeer(call: Call, name: str, timeout: float, liqo_namespace: str) -> None:
    from liqo.cli.peering import outofband

    await outofband.unpeer(call, outofband.Home(liqo_namespace, timeout), name)
