"""What a program prints is the answer; what it complains of is the error."""

import asyncio

import pytest

from liqo.playground.command import CommandError, run


async def test_what_it_prints_is_the_answer() -> None:
    assert await run("sh", "-c", "echo some; echo noise >&2") == "some\n"


async def test_it_reads_what_it_is_given() -> None:
    assert await run("cat", text="düsseldorf\n") == "düsseldorf\n"


async def test_its_surroundings_may_be_given() -> None:
    assert await run("/bin/sh", "-c", "echo $CITY", env={"CITY": "rome"}) == "rome\n"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo some; echo no such file >&2; exit 3", "sh failed: no such file"),
        ("echo only this; exit 3", "sh failed: only this"),
        ("exit 3", "sh failed: exit 3"),
    ],
)
async def test_what_it_complains_of_is_the_error(script: str, said: str) -> None:
    with pytest.raises(CommandError) as failure:
        await run("/bin/sh", "-c", script)
    assert str(failure.value) == said


async def test_it_ends_with_who_waits_for_it() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await run("cat", "/dev/zero")


async def test_a_program_that_is_missing_is_named() -> None:
    with pytest.raises(CommandError, match="there is no program never-installed on this machine"):
        await run("never-installed")
