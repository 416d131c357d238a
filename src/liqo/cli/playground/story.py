"""A page is told at a terminal: its words, its commands as one would type them, their answers."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from liqo.cli.output import Output
from liqo.cli.playground.installing import CHECKOUT
from liqo.cli.playground.page import Step, steps
from liqo.errors import LiqoError
from liqo.playground.waiting import until

PAGE = CHECKOUT / "docs" / "tutorial.md"
REST = "And back"  # there everything is taken away
WITHIN = 120.0  # seconds, until a table is as the page shows it
PAUSE = 1.0
OPENING = (
    f"This is {PAGE.relative_to(CHECKOUT)}, told and run: what it says, its commands after a $, "
    "and what they answer.\nYou need not type anything; it takes about three minutes."
)


async def tell(out: Output, playground: str) -> None:
    story, _, _ = PAGE.read_text().partition(f"\n## {REST}\n")
    out.result(OPENING)
    async with a_shell(playground) as shell:
        for step in steps(story):
            out.result(f"\n{step.told}\n\n" if step.told else "")
            await follow(out, shell, step)


@dataclass(frozen=True)
class Shell:
    """One bash for the whole story: what one command exports, the next one knows."""

    process: asyncio.subprocess.Process
    ended: asyncio.StreamReader  # a line with the exit code of each command

    async def does(self, command: str, to: str = "") -> int:
        assert self.process.stdin is not None
        where = f">{shlex.quote(to)} 2>&1" if to else ""
        self.process.stdin.write(f"{{\n{command}\n}} {where} </dev/null\necho $? >&9\n".encode())
        await self.process.stdin.drain()
        return int(await self.ended.readline() or b"1")

    async def says(self, command: str) -> str:
        """All that it prints, whether it fails or not."""
        with TemporaryDirectory() as folder:
            file = Path(folder) / "said"
            await self.does(command, str(file))
            return file.read_text()


@asynccontextmanager
async def a_shell(playground: str) -> AsyncIterator[Shell]:
    reads, writes = os.pipe()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    process = await asyncio.create_subprocess_exec(
        *("bash", "-c", f"exec 9>&{writes} bash"),
        stdin=asyncio.subprocess.PIPE,
        pass_fds=(writes,),
        cwd=CHECKOUT,
        env={**os.environ, "PATH": path, "LIQO_PLAYGROUND": playground},
    )
    os.close(writes)
    ended = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(ended)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(reads, "rb"))
    try:
        yield Shell(process, ended)
    finally:
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()


async def follow(out: Output, shell: Shell, step: Step) -> None:
    for command in step.commands:
        out.result(f"$ {command}")
        if step.is_look:
            await look(out, shell, step)
        elif await shell.does(command):
            raise LiqoError(f"the story ends here: {command!r} failed, as it says above")


async def look(out: Output, shell: Shell, step: Step) -> None:
    [command] = step.commands
    said = await shell.says(command)

    async def is_as_told() -> bool:
        nonlocal said
        said = await shell.says(command)
        return step.is_as_told(said)

    if not step.is_as_told(said):
        with out.step("not yet; looking again"):
            await until(is_as_told, WITHIN, lambda: unlike(command, said), every=PAUSE)
    out.text(said)


def unlike(command: str, said: str) -> str:
    page = PAGE.relative_to(CHECKOUT)
    return (
        f"the story ends here: after {WITHIN:g} s {command!r} does not say what {page} shows; "
        f"it says:\n{said}"
    )
