"""Programs read no more than they need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from liqo.playground import pki
from liqo.programs.plain import ROOTS
from liqo.rules.certificates import authority

DRAWS = """
import sys
from liqo.programs import kubelet
assert "structlog" in sys.modules
assert "rich" not in sys.modules
import rich
"""


def test_a_program_goes_without_what_draws_and_who_draws_finds_it() -> None:
    """In a process of its own: in this one the tests of liqoctl may have drawn."""
    subprocess.run([sys.executable, "-c", DRAWS], check=True)


TRUSTS = """
import os, ssl
before = ssl.create_default_context().cert_store_stats()["x509"]
from liqo.programs import kubelet
from aiohttp import connector
assert before == 1
assert connector._SSL_CONTEXT_VERIFIED.cert_store_stats()["x509"] == 0
assert ssl.create_default_context().cert_store_stats()["x509"] == before
print(os.environ["SSL_CERT_FILE"], end="")
"""

TOLD = """
import os
from liqo.programs import kubelet
print(os.environ.get("SSL_CERT_FILE", "nothing"), end="")
"""


def test_a_program_reads_public_authorities_when_somebody_is_to_be_trusted_by_them(
    tmp_path: Path,
) -> None:
    """In a process of its own: in this one aiohttp has been read."""
    roots = tmp_path / "roots.pem"
    roots.write_bytes(authority("everybody's", pki.lifetime()).certificate_pem)
    command = [sys.executable, "-c", TRUSTS]
    told = {**os.environ, ROOTS: str(roots)}
    done = subprocess.run(command, env=told, stdout=subprocess.PIPE, check=True)
    assert done.stdout.decode() == str(roots)


def test_who_was_not_told_of_authorities_is_not_told_afterwards() -> None:
    told = {name: value for name, value in os.environ.items() if name != ROOTS}
    done = subprocess.run(
        [sys.executable, "-c", TOLD], env=told, stdout=subprocess.PIPE, check=True
    )
    assert done.stdout.decode() == "nothing"
