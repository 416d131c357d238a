"""A person at a terminal with a shell: types commands, answers questions, and reads."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.terminal import Terminal, a_terminal

BASH = ("bash", "--norc", "--noprofile", "--noediting", "-i")
PROMPT = re.compile(r"@@(\d+)@@ $")  # with the exit code of the command before
QUESTION = "[yes/no] "
PATIENCE = 300.0  # seconds without a word: three clusters on a crowded machine
WIDE = 400  # columns: no table is folded


@dataclass(frozen=True)
class Shell:
    terminal: Terminal

    async def does(self, command: str, answers: Iterator[str]) -> tuple[int, str]:
        """Its exit code, and what stands on the screen when it is done."""
        self.terminal.type(f"{command}\n")
        code, seen = await self.prompted(answers)
        return code, screen(seen).removeprefix(f"{command}\n")

    async def prompted(self, answers: Iterator[str]) -> tuple[int, str]:
        seen = ""
        while not (ended := PROMPT.search(seen)):
            seen += await self._read()
            if seen.endswith(QUESTION):
                self.terminal.type(f"{next(answers)}\n")
                seen += await self._read()
        return int(ended[1]), seen[: ended.start()]

    async def _read(self) -> str:
        async with asyncio.timeout(PATIENCE):
            said = await asyncio.to_thread(os.read, self.terminal.ours, 65536)
        return said.decode(errors="replace")


def screen(said: str) -> str:
    """What is left of it: a spinner is drawn over and over, and is gone at last."""
    lines = said.replace("\r\n", "\n").split("\n")
    return "\n".join(line.rpartition("\x1b[K")[2] for line in lines)


@asynccontextmanager
async def a_shell(folder: Path, environment: Mapping[str, str]) -> AsyncIterator[Shell]:
    told = {**environment, "PS1": "@@$?@@ ", "PS2": "", "NO_COLOR": "1"}
    here = {"cwd": folder, "env": told, "start_new_session": True}
    async with a_terminal(*BASH, columns=WIDE, **here) as terminal:
        shell = Shell(terminal)
        await shell.prompted(iter(()))
        yield shell
