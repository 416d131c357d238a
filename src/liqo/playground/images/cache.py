"""What was packed before: tars in the user's cache, named by what they were made from."""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from liqo.playground import caches

FORMATS = tuple(Path(__file__).with_name(name) for name in ("archive.py", "layer.py"))
KEPT = 3  # of a kind: a product's archive has a hundred megabytes, and every change makes one
ABANDONED = 3600  # seconds: nothing takes as long, so whoever worked there was killed


@dataclass(frozen=True)
class Slot:
    """The place of one tar: there, or still to be made."""

    path: Path

    def is_filled(self) -> bool:
        return self.path.exists()

    @contextmanager
    def filling(self) -> Iterator[Path]:
        """A folder to work in. The file `tar` in it fills the slot, when all went well."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".", dir=self.path.parent) as scratch:
            yield Path(scratch)
            (Path(scratch) / "tar").replace(self.path)
        self._tidy()

    def _tidy(self) -> None:
        kind = self.path.name.partition("-")[0]
        alike = sorted(self.path.parent.glob(f"{kind}-*.tar"), key=_changed, reverse=True)
        for path in alike[KEPT:]:
            path.unlink(missing_ok=True)
        for scratch in self.path.parent.glob(".*"):
            if time.time() - _changed(scratch) > ABANDONED:
                shutil.rmtree(scratch, ignore_errors=True)


def slot(kind: str, recipe: str, *made_from: object) -> Slot:
    """The place of a tar of some kind; the source of the module that makes it counts as well."""
    digest = hashlib.sha256(repr(made_from).encode())
    for module in (Path(recipe), *FORMATS):
        digest.update(module.read_bytes())
    return Slot(caches.folder(os.environ) / "images" / f"{kind}-{digest.hexdigest()[:16]}.tar")


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # another process drops the same ones
        return time.time()
