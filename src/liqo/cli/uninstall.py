"""liqoctl uninstall: its words."""

from __future__ import annotations

import click

from liqo.cli import flags
from liqo.cli.call import Call, one_cluster
from liqo.cli.lazy import examples


@click.command(
    epilog=examples("liqoctl uninstall", "liqoctl uninstall --purge --skip-confirm"),
    help="Uninstall Liqo. Peerings must be over and namespaces must be back: `unpeer` and "
    "`unoffload` first. Its CustomResourceDefinitions stay, unless they are purged.",
)
@flags.switch("--purge", default=False, help="Remove the CRDs and all namespaces of Liqo as well.")
@flags.liqo_namespace()
@flags.timeout("10m")
@one_cluster
async def command(call: Call, liqo_namespace: str, purge: bool, timeout: float) -> None:
    from liqo.cli.uninstalling import uninstall

    call.out.confirm("uninstall", skip=call.settings.skip_confirm)
    await uninstall(call, liqo_namespace, timeout, purge=purge)
