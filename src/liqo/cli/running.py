"""How the work of a verb is run: to its end, or until it is told to stop."""

import asyncio
import logging
import signal
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

from liqo.errors import first_error

Result = TypeVar("Result")
Other = TypeVar("Other")


def to_its_end(work: Coroutine[Any, Any, Result]) -> Result:
    """What went wrong in several places at once is told as the first of them."""
    # Without a handler Python prints warnings of the client to stderr, between our sentences.
    logging.getLogger("liqo").addHandler(logging.NullHandler())
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


async def together(
    one: Coroutine[Any, Any, Result], other: Coroutine[Any, Any, Other]
) -> tuple[Result, Other]:
    """Both at once. If one fails the other is given up, and the failure is told as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            first, second = group.create_task(one), group.create_task(other)
    except BaseExceptionGroup as failed:
        raise first_error(failed) from None
    return first.result(), second.result()
