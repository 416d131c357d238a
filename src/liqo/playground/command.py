"""Run a program of this machine and take what it prints.

On asyncio's own loop: the programs that uvloop starts inherit each other's pipes, and one that
goes into the background would keep them open for ever.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from liqo.playground.errors import PlaygroundError


async def run(*arguments: str | Path, text: str = "", env: Mapping[str, str] | None = None) -> str:
    """Its standard output; what it says on standard error is the error when it fails."""
    program = Path(arguments[0]).name
    try:
        process = await asyncio.create_subprocess_exec(
            *map(str, arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=env,
        )
    except FileNotFoundError:
        raise CommandError(
            f"there is no program {program} on this machine; see: liqoctl playground setup --help"
        ) from None
    try:
        output, errors = await process.communicate(text.encode())
    except asyncio.CancelledError:
        if process.returncode is None:
            process.kill()
            await process.communicate()  # not wait(): that needs the pipes to be read empty
        raise
    if process.returncode:
        said = (errors or output).decode(errors="replace").strip() or f"exit {process.returncode}"
        raise CommandError(f"{program} failed: {said}")
    return output.decode()


class CommandError(PlaygroundError):
    """A program of this machine said no."""
