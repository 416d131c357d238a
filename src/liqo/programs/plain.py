"""Programs draw nothing.

structlog reads rich, for tracebacks in colour, wherever that is installed; in our image it is, for
liqoctl. No program shows one, and each would pay three megabytes.
"""

import importlib
import sys


def read_without(module: str, reader: str) -> None:
    """As if the module were not installed. Who has it already, keeps it."""
    if module in sys.modules:
        return
    sys.modules[module] = None  # type: ignore[assignment]  # so Python is told that there is none
    try:
        importlib.import_module(reader)
    finally:
        del sys.modules[module]
