"""One layer of an image: a tar of files whose bytes depend on nothing but the files."""

import hashlib
import io
import os
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath


@dataclass(frozen=True)
class File:
    """A regular file, its content given or read from where it lies."""

    content: bytes | Path
    mode: int = 0o644


@dataclass(frozen=True)
class Folder:
    """Only needed where it would be empty or has another mode: parents make themselves."""

    mode: int = 0o755


@dataclass(frozen=True)
class Link:
    """A symbolic link."""

    target: str


Tree = Mapping[str, File | Folder | Link]  # by path inside the image, without a leading slash


@dataclass(frozen=True)
class Layer:
    """An uncompressed tar on disk. Two images may share it."""

    path: Path
    digest: str  # SHA-256, in hex: the OCI diff id


def found(path: Path) -> Layer:
    """The layer that this tar is."""
    with path.open("rb") as file:
        return Layer(path, hashlib.file_digest(file, "sha256").hexdigest())


def write(tree: Tree, path: Path) -> Layer:
    """All of it owned by root and as old as the epoch, in the order of the names."""
    parents = {str(parent): Folder() for name in tree for parent in PurePosixPath(name).parents}
    del parents["."]
    with tarfile.open(path, "w") as tar:
        for name, entry in sorted({**parents, **tree}.items()):
            _add(tar, name, entry)
    return found(path)


def tree_of(root: Path) -> Tree:
    """What lies under a folder, with modes reduced to what matters: executable or not."""
    return dict(_entries(root))


def _entries(root: Path) -> Iterator[tuple[str, File | Link]]:
    for path in root.rglob("*"):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            yield name, Link(os.readlink(path))
        elif path.is_file():
            yield name, File(path, 0o755 if os.access(path, os.X_OK) else 0o644)


def _add(tar: tarfile.TarFile, name: str, entry: File | Folder | Link) -> None:
    header = tarfile.TarInfo(name)
    match entry:
        case Folder(mode):
            header.type, header.mode = tarfile.DIRTYPE, mode
            tar.addfile(header)
        case Link(target):
            header.type, header.linkname, header.mode = tarfile.SYMTYPE, target, 0o777
            tar.addfile(header)
        case File(bytes(content), mode):
            header.size, header.mode = len(content), mode
            tar.addfile(header, io.BytesIO(content))
        case File(Path() as source, mode):
            header.size, header.mode = source.stat().st_size, mode
            with source.open("rb") as file:
                tar.addfile(header, file)
