"""What a program must know before it can begin: asked for until its API server answers.

One that ended instead would be started again later and later, up to five minutes after the API
server is back.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from liqo.kube.errors import (
    Forbidden,
    KubeError,
    ServerFault,
    Throttled,
    Unauthorized,
    Unreachable,
)

FIRST_PAUSE = 0.05  # seconds before it is asked again; doubled while there is no answer
LONGEST_PAUSE = 1.0  # who comes back is at work within three
# An API server that has just started refuses all until it knows its roles: that takes seconds, and
# longer on a machine on which everything starts at once.
REFUSAL = 30.0

T = TypeVar("T")

log = structlog.get_logger()


async def until_answered(
    ask: Callable[[], Awaitable[T]], clock: Callable[[], float] = time.monotonic
) -> T:
    """What it gives. That there is no such thing, or that we may not see it, is an answer."""
    pause, complaint = FIRST_PAUSE, ""
    refused_since: float | None = None
    while True:
        wait = pause * random.uniform(0.5, 1.5)
        try:
            return await ask()
        except (Unauthorized, Forbidden) as no:
            refused_since = clock() if refused_since is None else refused_since
            if clock() - refused_since >= REFUSAL:
                raise
            why: KubeError = no
        except (Unreachable, ServerFault, Throttled) as silent:
            refused_since, why = None, silent
            wait = max(wait, silent.retry_after) if isinstance(silent, Throttled) else wait
        if complaint != str(why):
            complaint = str(why)
            log.warning("cannot begin yet", why=complaint)
        await asyncio.sleep(wait)
        pause = min(2 * pause, LONGEST_PAUSE)
