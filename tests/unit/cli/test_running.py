"""How a command ends."""

import asyncio
import os
import signal
import subprocess
import sys

import pytest

from liqo.cli.running import to_its_end, together
from liqo.errors import LiqoError


async def fail() -> None:
    raise LiqoError("etcd ended")


def test_a_command_returns_what_its_work_returns() -> None:
    async def work() -> int:
        return 42

    assert to_its_end(work()) == 42


def test_what_fails_among_others_is_told_as_if_it_were_alone() -> None:
    async def work() -> None:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(3):
                tasks.create_task(fail())

    with pytest.raises(LiqoError, match="etcd ended"):
        to_its_end(work())


def test_what_is_terminated_undoes_what_it_began() -> None:
    done = []

    async def work() -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.Event().wait()
        finally:
            done.append("undone")

    with pytest.raises(SystemExit) as ended:
        to_its_end(work())
    assert (ended.value.code, done) == (143, ["undone"])


def test_two_things_are_done_at_once() -> None:
    met = asyncio.Event()

    async def wait() -> str:
        await met.wait()
        return "met"

    async def come() -> int:
        met.set()
        return 1

    assert to_its_end(together(wait(), come())) == ("met", 1)


def test_of_two_things_the_one_that_fails_is_told() -> None:
    async def for_ever() -> None:
        await asyncio.Event().wait()

    async def work() -> None:
        with pytest.raises(LiqoError, match="etcd ended"):
            await together(for_ever(), fail())

    to_its_end(work())


def test_the_log_of_the_client_does_not_come_between_our_sentences() -> None:
    script = (
        "import logging\n"
        "from liqo.cli.running import to_its_end\n"
        "async def work():\n"
        "    logging.getLogger('liqo.kube.cache').warning('cannot be followed')\n"
        "to_its_end(work())\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert run.stderr == b""
