"""setup, image: what a machine needs, and what the product is shipped as."""

from __future__ import annotations

import click

from liqo.cli.lazy import examples
from liqo.cli.output import Output
from liqo.cli.playground import context


@click.command(
    epilog=examples("liqoctl playground setup"),
    help="Prepare this machine: Debian packages, Kubernetes' binaries, the images of the add-ons. "
    "What is there already is left alone.",
)
def setup() -> None:
    async def work(out: Output) -> None:
        from liqo.playground import binaries, images, machine

        wanted = (*binaries.NEEDED, *binaries.ON_DEMAND)
        await machine.prepare(out.info)
        await images.addons(await binaries.obtain(wanted, say=out.info), out.info)
        out.info("this machine is ready; next: liqoctl playground up")

    context.run(work)


@click.command(
    epilog=examples("liqoctl playground image", "liqoctl playground load build/liqo.tar"),
    help="Build the product's image from this checkout as an archive that ctr, docker load and "
    "kind load accept.",
)
def image() -> None:
    async def work(out: Output) -> None:
        from liqo.cli.playground.installing import ARCHIVE, CHECKOUT, product
        from liqo.playground import images

        built = await product(out.info)
        ARCHIVE.parent.mkdir(exist_ok=True)
        ARCHIVE.unlink(missing_ok=True)
        ARCHIVE.symlink_to(built)
        for name in images.names(built):
            out.info(f"{ARCHIVE.relative_to(CHECKOUT)} holds {name}")
        out.info("next: liqoctl playground load build/liqo.tar")

    context.run(work)
