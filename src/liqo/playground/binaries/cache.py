"""Where binaries are kept: one folder for each thing built, complete or not there at all."""

import asyncio
import fcntl
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import IO

UNFINISHED = ".unfinished-"
OFFICIAL = "official"  # takes the place of the fingerprint where nothing was built
LOOK_AGAIN = 0.5  # seconds between two looks at a lock: a build takes far longer


def folder_name(name: str, version: str, origin: str) -> str:
    """`etcd-v3.6.16-0123456789ab`; what has no version of its own goes without."""
    return "-".join(part for part in (name, version, origin) if part)


def executables(folder: Path, names: Iterable[str]) -> dict[str, Path]:
    """Those of the names that are executable files in the folder."""
    paths = {name: folder / name for name in names}
    return {
        name: path for name, path in paths.items() if path.is_file() and os.access(path, os.X_OK)
    }


def kept_versions(root: Path) -> set[str]:
    """The releases of Kubernetes that lie here, built or downloaded."""
    return {folder.name.split("-")[1] for folder in root.glob("kubernetes-v*-*")}


@asynccontextmanager
async def locked(root: Path, say: Callable[[str], None]) -> AsyncIterator[None]:
    """One process at a time builds or downloads; the others wait, and then find the result."""
    with _lock_file(root) as lock:
        waiting = False
        while not _try_lock(lock.fileno()):
            if not waiting:
                say("another process is getting Kubernetes' binaries: waiting for it")
            waiting = True
            await asyncio.sleep(LOOK_AGAIN)
        _remove_unfinished(root)
        yield


def _lock_file(root: Path) -> IO[str]:
    root.mkdir(parents=True, exist_ok=True)
    return (root / "lock").open("w")


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _remove_unfinished(root: Path) -> None:
    """What a killed process left behind: whoever holds the lock knows that nobody works on it."""
    for folder in root.glob(UNFINISHED + "*"):
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def appearing(folder: Path) -> Iterator[Path]:
    """A temporary folder that becomes `folder` at the end, and vanishes if that is not reached."""
    unfinished = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=folder.parent))
    try:
        yield unfinished
        unfinished.chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)  # somebody may have taken a file out of it
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
