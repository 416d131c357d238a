"""Compile commands with Go, and say how far it is."""

import asyncio
import contextlib
import importlib.util
import os
import shutil
import signal
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from liqo.playground.binaries import sources
from liqo.playground.binaries.sources import Build
from liqo.playground.errors import PlaygroundError

OLDEST_GO = (1, 26)
REPORT_EVERY = 30.0  # seconds: often enough to see that it lives, seldom enough for a log
REPORTS = "reports of a build"
OTHER_TARGETS = frozenset({"GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "GOROOT"})
KEPT_LINES = 60  # of what the compiler says; the first error is seldom further up


@dataclass(frozen=True)
class Go:
    """A Go toolchain."""

    command: Path
    version: str  # "go1.26.6"


NO_GO = (
    "compiling Kubernetes needs Go 1.26 or newer, and there is none here: install it with"
    " `pip install 'liqo[playground]'`, or name a folder that has the binaries in LIQO_KUBE_BIN"
)


def find_go() -> Go | None:
    """The one of the locked environment, or else that of the machine."""
    roots = []
    if wheel := importlib.util.find_spec("go"):
        roots += [Path(folder) for folder in wheel.submodule_search_locations or ()]
    if on_path := shutil.which("go"):
        roots.append(Path(on_path).resolve().parent.parent)
    found = (toolchain(root) for root in roots)
    return next((go for go in found if go and is_new_enough(go.version)), None)


def toolchain(root: Path) -> Go | None:
    """Read from a file, not asked of the program: this runs each time binaries are looked up."""
    command = root / "bin" / "go"
    try:
        return Go(command, (root / "VERSION").read_text().split()[0]) if command.exists() else None
    except (OSError, IndexError):
        return None


def is_new_enough(version: str) -> bool:
    numbers = version.removeprefix("go").split(".")[:2]
    try:
        return tuple(int(number) for number in numbers) >= OLDEST_GO
    except ValueError:
        return False


def environment(go: Go, inherited: Mapping[str, str]) -> dict[str, str]:
    """What the fingerprint does not cover must not depend on the shell it is run from."""
    return {
        **{name: value for name, value in inherited.items() if name not in OTHER_TARGETS},
        "GOFLAGS": "-mod=readonly",  # not empty: that would let the user's settings through
        "GOOS": "linux",
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
        "CGO_ENABLED": "0",
        "PATH": f"{go.command.parent}:{inherited.get('PATH', os.defpath)}",
    }


@dataclass
class Progress:
    """What `go build -v` says: a package per line, and what went wrong."""

    downloaded: int = 0
    compiled: int = 0
    messages: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT_LINES))

    def read(self, line: str) -> None:
        if line.startswith("go: downloading "):
            self.downloaded += 1
        elif line and " " not in line:  # the path of a package; an error has words
            self.compiled += 1
        elif line:
            self.messages.append(line)

    def describe(self, elapsed: float) -> str:
        if not self.compiled:
            return f"{self.downloaded} modules downloaded, {duration(elapsed)}"
        return f"{self.compiled} packages compiled, {duration(elapsed)}"


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


async def compile_with_go(
    build: Build,
    into: Path,
    go: Go,
    say: Callable[[str], None],
    modules: Path = sources.MODULES,
) -> None:
    """The binaries of one Build, as files of a folder."""
    version = sources.version_of(build, modules)
    say(
        f"compiling {build.name} {version}".rstrip()
        + f" with {go.version}: {build.takes} on 2 cores, once; the result is kept"
    )
    started = time.monotonic()
    progress = Progress()
    # One binary is called what the table calls it; of several, each by its package.
    target = into / build.binaries[0] if len(build.packages) == 1 else f"{into}/"
    process = await asyncio.create_subprocess_exec(
        *(go.command, "build", "-v", "-o", target, *sources.arguments(build, modules)),
        cwd=modules / build.folder,
        env=environment(go, os.environ),
        stderr=asyncio.subprocess.PIPE,
        limit=1 << 20,  # bytes of one line: a linker may quote a long command
        start_new_session=True,  # so that its compilers can be ended with it
    )
    try:
        assert process.stderr is not None
        async with asyncio.TaskGroup() as tasks:
            reports = tasks.create_task(_report(build.name, progress, started, say), name=REPORTS)
            async for line in process.stderr:
                progress.read(line.decode(errors="replace").rstrip())
            reports.cancel()
        code = await process.wait()
    finally:
        await _end(process)
    if code:
        raise PlaygroundError(failure(build, progress))
    say(f"compiled {build.name} in {duration(time.monotonic() - started)}")


async def _report(
    name: str, progress: Progress, started: float, say: Callable[[str], None]
) -> None:
    while True:
        await asyncio.sleep(REPORT_EVERY)
        say(f"compiling {name}: {progress.describe(time.monotonic() - started)}")


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def failure(build: Build, progress: Progress) -> str:
    said = "\n".join(progress.messages) or "it gave no reason"
    return (
        f"{build.name} could not be compiled:\n{said}\n"
        "If modules could not be downloaded, set GOPROXY to a module proxy that this machine"
        " reaches; or name a folder that has the binaries in LIQO_KUBE_BIN"
    )
