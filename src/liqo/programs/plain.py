"""Programs read no more than they need: what nobody uses is memory in every one of them."""

import importlib
import os
import sys

ROOTS = "SSL_CERT_FILE"  # names the public authorities to OpenSSL


def read_without(module: str, reader: str) -> None:
    """As if the module were not installed. Who has it already, keeps it.

    structlog reads rich, for tracebacks in colour, wherever that is installed; in our image it is,
    for liqoctl. No program shows one, and each would pay three megabytes.
    """
    if module in sys.modules:
        return
    sys.modules[module] = None  # type: ignore[assignment]  # so Python is told that there is none
    try:
        importlib.import_module(reader)
    finally:
        del sys.modules[module]


def read_without_roots(reader: str) -> None:
    """Without reading the public authorities now.

    aiohttp reads the file with all of them, for connections that do not say whom they trust. All of
    ours say it, and each program would pay two megabytes. A directory of authorities, which OpenSSL
    looks into when it needs one, stays trusted.
    """
    told = os.environ.get(ROOTS)
    os.environ[ROOTS] = os.devnull
    try:
        importlib.import_module(reader)
    finally:
        del os.environ[ROOTS]
        if told is not None:
            os.environ[ROOTS] = told
