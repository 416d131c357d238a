"""liqoctl authenticate, unauthenticate: the authentication module alone, and its end."""

from __future__ import annotations

import click

from liqo.cli import flags
from liqo.cli.call import Call, two_clusters
from liqo.cli.lazy import examples
from liqo.cli.peering import network


@click.command(
    "authenticate",
    help="Let the local cluster ask the remote one for resources; it asks for none yet.",
    epilog=examples("liqoctl authenticate --remote-kubeconfig milan.yaml"),
)
@flags.timeout("2m")
@flags.liqo_namespace()
@flags.remote_namespace
@flags.switch("--in-band", default=False, help="Reach the API server through the tunnel.")
@click.option("--proxy-url", default="", metavar="URL", help="Reach the API server through it.")
@two_clusters
async def authenticate(
    call: Call, timeout: float, in_band: bool, proxy_url: str, **where: str
) -> None:
    from liqo.cli.peering import handshake
    from liqo.cli.peering.sides import both

    if in_band:
        call.out.warning(network.MISSING)
    async with both(call, timeout, **where) as pair:
        places = await handshake.prepare(pair)
        await handshake.authenticate(pair, places, proxy_url)


@click.command(
    "unauthenticate",
    help="Take back what authenticate did. The ResourceSlices have to be gone.",
    epilog=examples("liqoctl unauthenticate --remote-kubeconfig milan.yaml"),
)
@flags.timeout("2m")
@flags.liqo_namespace()
@flags.remote_namespace
@flags.switch("--wait", default=True, help="Return when it is done.")
@two_clusters
async def unauthenticate(call: Call, timeout: float, wait: bool, **where: str) -> None:
    from liqo.cli.peering import parting
    from liqo.cli.peering.ending import departure
    from liqo.cli.peering.sides import both

    async with both(call, timeout, **where) as pair:
        await parting.no_slices_left(pair.loan)
        async with departure(pair, await parting.places(pair), wait=wait):
            pass  # nothing was lent
