"""Wait for what must come true, and say what was true instead when it does not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from liqo.errors import LiqoError

Seen = TypeVar("Seen")
PAUSE = 0.05  # seconds between two looks, at least
EASE = 3  # times as long as a look took: whom we wait for needs the cores more than we
LONGEST = 1.0
# Kubernetes ends no namespace while an API is away that another server answers for, as that of
# metrics is after a control plane was killed; it tries again ever less often, up to every minute.
ENDING = 150


async def eventually(
    look: Callable[[], Awaitable[Seen]],
    holds: Callable[[Seen], bool] | None = None,
    *,
    is_: object = True,
    within: float = 120,
) -> Seen:
    """What was seen when it held, or was equal. An error of ours is as good as not yet."""
    last: object = "nothing"
    try:
        async with asyncio.timeout(within):
            while True:
                began = time.monotonic()
                try:
                    last = seen = await look()
                    if holds(seen) if holds else seen == is_:
                        return seen
                except LiqoError as error:
                    last = error
                took = time.monotonic() - began
                await asyncio.sleep(min(max(PAUSE, EASE * took), LONGEST))
    except TimeoutError:
        raise AssertionError(f"not within {within} s; last seen: {last!r}") from None
