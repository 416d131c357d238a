"""Wait for something that nobody announces: a process that dies, a server that comes up."""

import asyncio
from collections.abc import Awaitable, Callable

from liqo.playground.errors import PlaygroundError

OFTEN = 0.05  # seconds between two looks


async def until(
    holds: Callable[[], bool | Awaitable[bool]],
    seconds: float,
    otherwise: Callable[[], str],
    every: float = OFTEN,
) -> None:
    """Return when it holds; after that many seconds, fail with the sentence."""
    try:
        async with asyncio.timeout(seconds):
            while True:
                answer = holds()
                if answer if isinstance(answer, bool) else await answer:
                    return
                await asyncio.sleep(every)
    except TimeoutError:
        raise PlaygroundError(otherwise()) from None
