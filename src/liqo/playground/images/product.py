"""The product's image: Debian's Python, and on it two layers, the dependencies and our code.

A change of our code makes a new uppermost layer of a few hundred kilobytes; a node that has the
others unpacks only that one.
"""

import asyncio
import os
import platform
import shutil
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

from liqo.playground import caches
from liqo.playground.command import run
from liqo.playground.errors import PlaygroundError
from liqo.playground.images import archive, debian, layer
from liqo.playground.images.archive import Image
from liqo.playground.images.cache import Slot, slot

REPOSITORY = "localhost/liqo/liqo"
PYTHON = "3.11"  # Debian 12's
GLIBC = "2_36"  # Debian 12's: no wheel may ask for a newer one
PACKAGES = f"usr/local/lib/python{PYTHON}/dist-packages"  # where Debian's Python looks by itself
PROGRAMS = {
    "liqoctl": "liqo.cli.main",
    "kubectl-liqo": "liqo.cli.main",
    "virtual-kubelet": "liqo.programs.kubelet",  # where the Deployments of any Liqo look for it
}
ENVIRONMENT = {
    "PYTHONUNBUFFERED": "1",
    "SSL_CERT_FILE": debian.CERTIFICATES,
    # A TLS connection has a buffer of 256 kB. Left to itself, the C library learns from the first
    # one that ends to keep their like on its heap, which then never shrinks.
    "MALLOC_MMAP_THRESHOLD_": "65536",
    "MALLOC_ARENA_MAX": "1",
}

SCRIPT = """\
#!/usr/bin/python3 -P
import sys

from {module} import main

sys.exit(main())
"""


async def product(checkout: Path, say: Callable[[str], None]) -> Path:
    """The archive. Its image has two names: the version, and one that follows every change."""
    version = tomllib.loads((checkout / "pyproject.toml").read_text())["project"]["version"]
    lock = checkout / "deploy/image/requirements.lock"
    code = _source(checkout / "src/liqo")
    wheels = slot("dependencies", __file__, lock.read_bytes())
    lowest = debian.place()
    archived = slot(
        "product", __file__, version, lowest.path.name, wheels.path.name, sorted(code.items())
    )
    if archived.is_filled():
        return archived.path
    lower = (await debian.base(say), await _dependencies(lock, wheels, say))
    say(f"packing liqo {version}")
    with archived.filling() as scratch:
        _place_code(code, version, scratch / "root")
        await _compile(scratch / "root", say)
        fingerprint = archived.path.stem.partition("-")[2]
        names = (f"{REPOSITORY}:{version}", f"{REPOSITORY}:{version}-{fingerprint}")
        await asyncio.to_thread(_pack, names, lower, scratch)
    return archived.path


def _source(package: Path) -> dict[str, bytes]:
    """Our files by their path below the package, without what Python left beside them."""
    return {
        path.relative_to(package).as_posix(): path.read_bytes()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


async def _dependencies(lock: Path, made: Slot, say: Callable[[str], None]) -> Path:
    if not made.is_filled():
        say("collecting the locked dependencies for the image")
        with made.filling() as scratch:
            packages = scratch / "root" / PACKAGES
            await _install(lock, packages)
            shutil.rmtree(packages / "bin", ignore_errors=True)  # scripts for this machine's Python
            (packages / ".lock").unlink(missing_ok=True)
            await _compile(scratch / "root", say)
            await asyncio.to_thread(layer.write, layer.tree_of(scratch / "root"), scratch / "tar")
    return made.path


async def _install(lock: Path, target: Path) -> None:
    """Wheels for the image's Python, whatever Python this machine has."""
    await run(
        _uv(),
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--require-hashes",
        "--only-binary=:all:",
        "--link-mode=copy",
        f"--python={sys.executable}",
        f"--python-version={PYTHON}",
        f"--python-platform={platform.machine()}-manylinux_{GLIBC}",
        f"--target={target}",
        f"--requirements={lock}",
    )


def _uv() -> str | Path:
    kept = sorted(caches.folder(os.environ).glob("uv-*/bin/uv"))
    found = shutil.which("uv") or (kept[-1] if kept else None)
    if found is None:
        raise PlaygroundError("uv is needed to make the image and is not here. Run: make setup")
    return found


def _place_code(code: dict[str, bytes], version: str, root: Path) -> None:
    metadata = f"Metadata-Version: 2.1\nName: liqo\nVersion: {version}\n"
    packages = root / PACKAGES
    files = {packages / "liqo" / name: content for name, content in code.items()}
    files[packages / f"liqo-{version}.dist-info/METADATA"] = metadata.encode()
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for name, module in PROGRAMS.items():
        path = root / "usr/bin" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SCRIPT.format(module=module))
        path.chmod(0o755)


async def _compile(root: Path, say: Callable[[str], None]) -> None:
    """Byte code goes into the layer: a container cannot write it to its read-only file system."""
    compiler = _compiler()
    if compiler is None:
        say(f"no Python {PYTHON} here: the image is not compiled beforehand and starts slower")
        return
    # by hash and unchecked: time stamps do not survive in a layer, and its files do not change
    mode = "--invalidation-mode=unchecked-hash"
    await run(compiler, "-m", "compileall", "-q", "-j0", mode, "-s", root, "-p", "/", root)


def _compiler() -> str | None:
    """Only the same Python writes byte code that the image's Python reads."""
    if sys.version_info[:2] == tuple(map(int, PYTHON.split("."))):
        return sys.executable
    return shutil.which(f"python{PYTHON}")


def _pack(names: tuple[str, ...], lower: tuple[Path, ...], scratch: Path) -> None:
    ours = layer.write(layer.tree_of(scratch / "root"), scratch / "code")
    image = Image(
        names,
        (*map(layer.found, lower), ours),
        command=("liqoctl", "--help"),
        environment=ENVIRONMENT,
    )
    archive.write([image], scratch / "tar")
