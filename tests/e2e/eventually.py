"""Wait for what must come true, and say what was true instead when it does not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from liqo.errors import LiqoError

Seen = TypeVar("Seen")
PAUSE = 0.05  # seconds between two looks


async def eventually(
    look: Callable[[], Awaitable[Seen]],
    holds: Callable[[Seen], bool] | None = None,
    *,
    is_: object = True,
    within: float = 60,
) -> Seen:
    """What was seen when it held, or was equal. An error of ours is as good as not yet."""
    last: object = "nothing"
    try:
        async with asyncio.timeout(within):
            while True:
                try:
                    last = seen = await look()
                    if holds(seen) if holds else seen == is_:
                        return seen
                except LiqoError as error:
                    last = error
                await asyncio.sleep(PAUSE)
    except TimeoutError:
        raise AssertionError(f"not within {within} s; last seen: {last!r}") from None
