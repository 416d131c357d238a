"""What a component is asked, and what its answer means."""

import io
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import redirect_stdout
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from liqo.playground.probe import ENDPOINTS, answers, connects, health, main, query, verdict


class Component(BaseHTTPRequestHandler):
    """Well at /healthz, and nowhere else."""

    def do_GET(self) -> None:  # the name that http.server looks for
        self.send_response(200 if self.path == "/healthz" else 503)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Not into the output of the tests."""


@pytest.fixture
def port() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), Component) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def answer(code: int, found: int) -> bytes:
    return query("x")[:3] + bytes([0x80 | code]) + b"\0\1" + found.to_bytes(2, "big") + b"\0\0\0\0"


def test_a_query_is_one_question_for_an_address() -> None:
    assert query("kubernetes.default") == (
        b"\x00\x01\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
        b"\x0akubernetes\x07default\x00"
        b"\x00\x01\x00\x01"
    )


@pytest.mark.parametrize(
    ("code", "found", "expected"),
    [
        (0, 1, "ok"),
        (0, 0, "DNS code 0, 0 answers"),
        (2, 0, "DNS code 2, 0 answers"),
        (3, 0, "DNS code 3, 0 answers"),
    ],
)
def test_a_name_resolves_when_there_is_an_address_for_it(
    code: int, found: int, expected: str
) -> None:
    assert verdict(answer(code, found)) == expected


def test_only_200_is_ok(port: int) -> None:
    assert answers("http", port, "/healthz") == "ok"
    assert answers("http", port, "/readyz") == "HTTP 503"


def test_containerd_is_well_when_it_takes_a_connection(tmp_path: Path) -> None:
    path = str(tmp_path / "containerd.sock")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        assert connects(path) == "ok"
    with pytest.raises(ConnectionRefusedError):
        connects(path)


def test_a_component_that_cannot_be_asked_is_told_why() -> None:
    assert health("dns=::1") != "ok"


def test_the_answer_is_one_object_by_component() -> None:
    printed = io.StringIO()
    with redirect_stdout(printed):
        main(["dns=::1"])
    assert list(json.loads(printed.getvalue())) == ["dns=::1"]


def test_every_component_with_a_port_has_its_own() -> None:
    ports = [port for _, port, _ in ENDPOINTS.values()]
    assert len(set(ports)) == len(ports)


def test_it_starts_without_anything_that_has_to_be_installed() -> None:
    """It runs on nodes, often, and must be quick: the standard library alone."""
    command = [sys.executable, "-c", "import sys, liqo.playground.probe; print(*sys.modules)"]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert {"yaml", "msgspec", "click", "cryptography"} & set(loaded) == set()
