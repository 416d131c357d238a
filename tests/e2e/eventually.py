"""Wait for what a cluster is about to do."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from liqo.errors import LiqoError

Seen = TypeVar("Seen")
OFTEN = 0.1


async def eventually(
    look: Callable[[], Awaitable[Seen]], holds: Callable[[Seen], bool], seconds: float = 60
) -> Seen:
    """What was seen when it held; what was seen last, in the error, when it never did."""
    last: object = "nothing"
    try:
        async with asyncio.timeout(seconds):
            while True:
                try:
                    seen = await look()
                    if holds(seen):
                        return seen
                    last = seen
                except LiqoError as error:
                    last = error
                await asyncio.sleep(OFTEN)
    except TimeoutError:
        raise AssertionError(f"not within {seconds} s; last seen: {last}") from None
