"""Wait for what must come true, and say what was true instead when it does not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

PAUSE = 0.05  # seconds between two looks


async def eventually(
    look: Callable[[], Awaitable[object]], *, is_: object, within: float = 30
) -> None:
    deadline = asyncio.get_running_loop().time() + within
    seen = await look()
    while seen != is_:
        if asyncio.get_running_loop().time() > deadline:
            raise AssertionError(f"after {within} s it is still {seen!r}, not {is_!r}")
        await asyncio.sleep(PAUSE)
        seen = await look()
