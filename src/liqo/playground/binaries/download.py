"""Official releases of Kubernetes, each file checked against its published sum."""

import asyncio
import hashlib
import os
import platform
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import cast

from liqo.playground.errors import PlaygroundError

OFFICIAL = "https://dl.k8s.io"
CONNECT = 3.0  # seconds: a machine without internet must not wait long to learn it
STALLED = 30.0  # seconds without a byte
CHUNK = 1 << 20
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


class UnavailableError(Exception):
    """Not to be had from there; why, as half a sentence."""


def url(base: str, version: str, machine: str, name: str) -> str:
    architecture = ARCHITECTURES.get(machine, machine)
    return f"{base.rstrip('/')}/{version}/bin/linux/{architecture}/{name}"


async def download(
    base: str, version: str, names: Iterable[str], into: Path, say: Callable[[str], None]
) -> None:
    """The named binaries of a release, as files of a folder."""
    for name in names:
        address = url(base, version, platform.machine(), name)
        checksum = await _checksum(address)
        say(f"downloading {name} {version}")
        await _file(address, checksum, into / name)


async def _checksum(address: str) -> str:
    response = await _open(f"{address}.sha256", CONNECT)
    with response:
        words = (await _read(response)).decode(errors="replace").split()
    if not words or len(words[0]) != hashlib.sha256().digest_size * 2:
        raise UnavailableError(f"{address}.sha256 is no checksum")
    return words[0].lower()


async def _file(address: str, checksum: str, path: Path) -> None:
    digest = hashlib.sha256()
    with await _open(address, STALLED) as response, path.open("wb") as file:
        while chunk := await _read(response):
            digest.update(chunk)
            file.write(chunk)
    if digest.hexdigest() != checksum:
        raise PlaygroundError(
            f"{address} is not what its checksum says: try again, or set LIQO_KUBE_DOWNLOAD to"
            " another mirror (empty: compile it here instead)"
        )
    os.chmod(path, 0o755)


async def _open(address: str, timeout: float) -> HTTPResponse:
    try:
        response = await asyncio.to_thread(urllib.request.urlopen, address, timeout=timeout)
    except (OSError, ValueError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise UnavailableError(f"{address}: {reason}") from error
    return cast(HTTPResponse, response)


async def _read(response: HTTPResponse) -> bytes:
    """A chunk at a time, so that an interrupted download ends at once."""
    try:
        return await asyncio.to_thread(response.read, CHUNK)
    except (OSError, HTTPException) as error:
        raise UnavailableError(f"{response.url}: {error}") from error
