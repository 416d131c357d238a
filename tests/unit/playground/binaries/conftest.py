"""A release of Kubernetes, served on loopback."""

import hashlib
import platform
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from liqo.playground.binaries import KUBERNETES, default_version, download


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Not into the output of the tests."""


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    """The folder with the files of a release; a test may spoil them."""
    root = tmp_path / "mirror"
    folder = root / download.url("", default_version(), platform.machine(), "").lstrip("/")
    folder.mkdir(parents=True)
    for name in KUBERNETES:
        (folder / name).write_text(f"#!/bin/sh\necho {name}\n")
        checksum = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        (folder / f"{name}.sha256").write_text(checksum)
    return folder


@pytest.fixture
def releases(tmp_path: Path, mirror: Path) -> Iterator[str]:
    """The base URL under which the mirror is served."""
    root = tmp_path / mirror.relative_to(tmp_path).parts[0]
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()
