"""The folder of a playground: its layout, its clusters, and one writer at a time."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from liqo.playground.errors import PlaygroundError, next_step
from liqo.playground.layout import Layout
from liqo.playground.waiting import until

HOME = Path("/var/lib/liqo/playgrounds")
PATIENCE = 600.0  # seconds to wait for another `up` or `down` of the same playground


def folder(playground: str, home: Path = HOME) -> Path:
    return home / playground


def cluster_folder(playground: str, cluster: str, home: Path = HOME) -> Path:
    return folder(playground, home) / cluster


def read(playground: str, home: Path = HOME) -> Layout | None:
    try:
        text = layout_file(playground, home).read_bytes()
    except FileNotFoundError:
        return None
    try:
        return msgspec.json.decode(text, type=Layout)
    except msgspec.DecodeError as error:
        raise PlaygroundError(
            f'the layout of the playground "{playground}" cannot be read ({error}); '
            f"remove it with: {next_step(playground, 'down')}"
        ) from None


def write(layout: Layout, home: Path = HOME) -> None:
    """Whole or not at all: a reader never sees half of it."""
    path = layout_file(layout.name, home)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_bytes(msgspec.json.format(msgspec.json.encode(layout)))
    fresh.rename(path)


def layout_file(playground: str, home: Path) -> Path:
    return folder(playground, home) / "layout.json"


def every(home: Path = HOME) -> Iterator[Layout]:
    """The playgrounds of this machine."""
    for path in sorted(home.glob("*/layout.json")):
        layout = read(path.parent.name, home)
        if layout is not None:
            yield layout


def remove(path: Path, home: Path = HOME) -> None:
    """The folder, and its parents where they are empty now, up to the product's own."""
    shutil.rmtree(path, ignore_errors=True)
    for parent in (path.parent, *path.parent.parents):
        if parent == home.parent.parent or not parent.is_dir() or any(parent.iterdir()):
            return
        parent.rmdir()


@asynccontextmanager
async def locked(path: Path, patience: float = PATIENCE) -> AsyncIterator[None]:
    """One at a time, between processes. The lock ends with its holder, however that ends."""
    handle = -1

    def is_mine() -> bool:
        nonlocal handle
        try:
            path.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            return False  # a `down` took it away at this very moment
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(handle).st_ino == path.stat().st_ino:  # not one that `down` took away
                return True
        except (BlockingIOError, FileNotFoundError):
            pass
        os.close(handle)
        return False

    await until(
        is_mine,
        patience,
        lambda: f"another liqoctl works on {path} for {patience:.0f} s already: end it, or wait",
    )
    try:
        yield
    finally:
        os.close(handle)


def cuts(playground: str, home: Path = HOME) -> frozenset[frozenset[str]]:
    """The pairs of clusters that exchange nothing."""
    path = folder(playground, home) / "cuts.json"
    pairs = msgspec.json.decode(path.read_bytes()) if path.exists() else []
    return frozenset(map(frozenset, pairs))


def write_cuts(playground: str, pairs: frozenset[frozenset[str]], home: Path = HOME) -> None:
    path = folder(playground, home) / "cuts.json"
    path.write_bytes(msgspec.json.encode(sorted(map(sorted, pairs))))
