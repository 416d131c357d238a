"""What the commands of the playground share: how they find theirs, and how they run."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import click

from liqo.cli.output import Output
from liqo.playground.errors import DEFAULT

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
    """Run a command as root; Ctrl-C or SIGTERM cancels it, and what it began is undone."""
    from liqo.cli.running import to_its_end
    from liqo.playground import machine

    machine.require_root()
    return to_its_end(work(Output()))
