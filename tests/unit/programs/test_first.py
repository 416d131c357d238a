"""Told to go before it has begun."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

TOLD_AT_ONCE = """
import os, signal, time
from liqo.programs.first import listen
listen({pid})
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(60)
"""


@pytest.mark.parametrize(
    ("pid", "ended"),
    [
        pytest.param(1, 0, id="the first process has a handler"),
        pytest.param(7, -signal.SIGTERM, id="of any other the kernel takes care"),
    ],
)
def test_a_program_that_is_told_to_go_while_it_starts_goes(pid: int, ended: int) -> None:
    program = [sys.executable, "-c", TOLD_AT_ONCE.format(pid=pid)]
    assert subprocess.run(program, timeout=30, check=False).returncode == ended
