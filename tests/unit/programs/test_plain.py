"""Programs draw nothing."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from liqo.programs import kubelet
assert "structlog" in sys.modules
assert "rich" not in sys.modules
import rich
"""


def test_a_program_goes_without_what_draws_and_who_draws_finds_it() -> None:
    """In a process of its own: in this one the tests of liqoctl may have drawn."""
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)
