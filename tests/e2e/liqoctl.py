"""liqoctl as people run it: a process, its output, and how it ended."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(sys.executable).parent
CACHE = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")  # of built binaries
PREFIXES = ("INFO: ", "WARN: ", "ERRO: ")


@dataclass(frozen=True)
class Ended:
    code: int
    stdout: str
    stderr: str

    @property
    def told(self) -> list[str]:
        """What was said about the work, without what was being done."""
        return [line for line in self.stderr.splitlines() if line.startswith(PREFIXES)]


async def liqoctl(
    *words: str | Path, environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> Ended:
    process = await _start("liqoctl", *map(str, words), environment=environment, folder=folder)
    out, err = await process.communicate()
    return Ended(process.returncode or 0, out.decode(), err.decode())


async def ran(*words: str, text: str = "", environment: Mapping[str, str] | None = None) -> Ended:
    """Any program, with our own first on the PATH and no kubeconfig but the one that is said."""
    process = await _start(*words, environment=environment)
    out, err = await process.communicate(text.encode())
    return Ended(process.returncode or 0, out.decode(), err.decode())


async def killed(lines: int, *words: str) -> bool:
    """Start it, and kill it when it has said so many lines; whether it came to that."""
    process = await _start("liqoctl", *words)
    assert process.stderr is not None
    try:
        for _ in range(lines):
            if not await process.stderr.readline():
                return False
        return True
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def interrupted(at: str, by: Callable[[], Awaitable[object]], *words: str | Path) -> Ended:
    """Start it; when it has said this line, let something happen. How it ended all the same."""
    process = await _start("liqoctl", *map(str, words))
    assert process.stderr is not None
    said = b""
    try:
        while not said.endswith(at.encode() + b"\n"):
            line = await process.stderr.readline()
            assert line, f"it never said {at!r}: {said.decode()}"
            said += line
        await by()
        out, rest = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Ended(process.returncode or 0, out.decode(), (said + rest).decode())


async def _start(
    *words: str, environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> asyncio.subprocess.Process:
    path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
    clean = {name: value for name, value in os.environ.items() if name != "KUBECONFIG"}
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        *words,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        cwd=folder,
        env={
            **clean,
            "PATH": path,
            "HOME": "/nonexistent",
            "XDG_CACHE_HOME": CACHE,
            **(environment or {}),
        },
    )
