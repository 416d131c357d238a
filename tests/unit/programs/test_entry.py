"""How every program begins and ends."""

import subprocess
import sys
from collections.abc import Sequence

import pytest

from liqo.errors import LiqoError
from liqo.programs.entry import enter

PROGRAM = """
import sys
import structlog
from liqo.errors import LiqoError
from liqo.programs.entry import enter
from liqo.runtime import log

async def serve(told):
    log.configure()
    structlog.get_logger().info("synced")
    raise LiqoError("no such Secret") if told == "wrong" else KeyError(told)

sys.exit(enter(lambda arguments: arguments[0], serve))
"""

served: list[str] = []


def read(arguments: Sequence[str]) -> str:
    return " ".join(arguments)


async def serve(told: str) -> None:
    if told == "wrong":
        raise LiqoError("that is wrong: try another")
    served.append(told)


def test_what_is_read_is_served() -> None:
    assert enter(read, serve, ["a", "b"]) == 0
    assert served[-1] == "a b"


def test_an_error_for_people_is_told_without_a_stack_trace(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert enter(read, serve, ["wrong"]) == 1
    assert capsys.readouterr().err == "that is wrong: try another\n"


@pytest.mark.parametrize(
    ("told", "last"), [("wrong", "no such Secret"), ("worse", "KeyError: 'worse'")]
)
def test_what_was_logged_is_written_before_what_is_said_last(told: str, last: str) -> None:
    """`liqoctl install` shows the last line of a program that did not start."""
    command = [sys.executable, "-c", PROGRAM, told]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    first, *_, said = ended.stderr.splitlines()
    assert '"event":"synced"' in first
    assert (said, ended.returncode) == (last, 1)
