"""What the commands of the playground share: how they find theirs, and how they run."""

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import click

from liqo.cli.output import Output
from liqo.playground import machine
from liqo.playground.errors import DEFAULT
from liqo.playground.playground import first_error

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
    machine.require_root()
    return to_its_end(work(Output()))


def to_its_end(work: Coroutine[Any, Any, Result]) -> Result:
    """What went wrong in several places at once is told as the first of them."""
    try:
        return asyncio.run(terminable(work))
    except asyncio.CancelledError:
        sys.exit(128 + signal.SIGTERM)
    except BaseExceptionGroup as group:
        raise first_error(group) from None


async def terminable(work: Coroutine[Any, Any, Result]) -> Result:
    """SIGTERM ends it as Ctrl-C does: asyncio itself knows only the latter."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await work
