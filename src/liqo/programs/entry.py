"""How every program begins and ends: from what it is told to an exit code."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

import uvloop

from liqo.errors import LiqoError

Config = TypeVar("Config")

LINGER = 3.0  # seconds that who is asked serves on: others learn a little late that it leaves


def enter(
    read: Callable[[Sequence[str]], Config],
    serve: Callable[[Config], Coroutine[Any, Any, None]],
    arguments: Sequence[str] | None = None,
) -> int:
    """Without arguments, those of the process. An error meant for a person is its last line."""
    try:
        try:
            uvloop.run(serve(read(sys.argv[1:] if arguments is None else arguments)))
        finally:
            logging.shutdown()  # what was logged is written before what is said last
    except LiqoError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0
