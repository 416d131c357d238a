"""How every program begins and ends."""

from collections.abc import Sequence

import pytest

from liqo.errors import LiqoError
from liqo.programs.entry import enter

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
