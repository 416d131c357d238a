"""Runs the programs that images are made with."""

import asyncio
import os
import shutil
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import Mapping
from pathlib import Path

from liqo.playground.errors import PlaygroundError


def program(name: str, package: str) -> Path:
    """Where a program is that a Debian package brings."""
    path = shutil.which(name)
    if path is None:
        raise PlaygroundError(
            f"{name} is needed to make images and is not on PATH. "
            f"On Debian, as root: apt-get install --no-install-recommends {package}"
        )
    return Path(path)


async def run(*command: str | Path, environment: Mapping[str, str] | None = None) -> str:
    """What the command prints; a failure is an error that ends with its last lines."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
        env={**os.environ, **(environment or {})},
    )
    try:
        printed = (await process.communicate())[0].decode(errors="replace")
    finally:
        if process.returncode is None:  # we were cancelled: what it mounted, it takes down itself
            process.terminate()
            await process.wait()
    if process.returncode != 0:
        last = " / ".join(printed.strip().splitlines()[-3:])
        raise PlaygroundError(f"{Path(command[0]).name} failed: {last}")
    return printed
