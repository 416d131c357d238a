"""What the commands of the playground share: how they find theirs, and how they run."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from liqo.cli.output import Output
from liqo.playground import binaries, machine
from liqo.playground.cluster import Site
from liqo.playground.playground import DEFAULT, Playground, first_error

Result = TypeVar("Result")

in_playground = click.option(
    "--playground",
    "-p",
    "playground_name",
    metavar="NAME",
    default=DEFAULT,
    show_default=True,
    envvar="LIQO_PLAYGROUND",
    help="Which playground; several live beside each other.",
)


def run(work: Callable[[Output], Coroutine[Any, Any, Result]]) -> Result:
    """Run a command as root; Ctrl-C cancels it, and what it began is undone."""
    machine.require_root()
    return to_its_end(work(Output()))


def to_its_end(work: Coroutine[Any, Any, Result]) -> Result:
    """What went wrong in several places at once is told as the first of them."""
    try:
        return asyncio.run(work)
    except BaseExceptionGroup as group:
        raise first_error(group) from None


async def tools(out: Output) -> Mapping[str, Path]:
    """Kubernetes' binaries; at hand after the first time."""
    return await binaries.obtain(binaries.NEEDED, say=out.info)


async def site(playground: Playground, name: str, out: Output) -> Site:
    [found] = await sites(playground, (name,), out)
    return found


async def sites(playground: Playground, names: tuple[str, ...], out: Output) -> list[Site]:
    """Those with these names, or all. What is not there is said before anything is built."""
    known = playground.existing()
    wanted = [known.cluster(name) for name in names] or known.clusters
    executables = await tools(out)
    return [playground.site_in(known, member, executables) for member in wanted]
