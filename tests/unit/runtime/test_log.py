"""Logs are one JSON object per line."""

import asyncio
import io
import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest
import structlog

from liqo.runtime import log as logs

PROGRAM = """
import asyncio
import structlog
from liqo.runtime import log

async def main():
    for key in ("web", "db"):
        structlog.get_logger().info("applied", key=key)

log.configure()
asyncio.run(main())
"""


class Counted(io.BytesIO):
    """A file that knows how often it was written out, and tells."""

    def __init__(self) -> None:
        super().__init__()
        self.flushes = 0
        self.flushed = asyncio.Event()

    def flush(self) -> None:
        self.flushes += 1
        self.flushed.set()


@pytest.fixture
def lines() -> Iterator[Counted]:
    """What is logged while the test runs; other tests log as before."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    written = Counted()
    logs.configure(written)
    yield written
    structlog.reset_defaults()
    root.handlers[:], root.level = handlers, level


def parsed(lines: Counted) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def test_a_line_has_a_message_and_fields(lines: Counted) -> None:
    structlog.get_logger().info("applied", controller="provider/quota", key="rome/web")
    [line] = parsed(lines)
    assert line.pop("time")
    assert line == {
        "event": "applied",
        "level": "info",
        "controller": "provider/quota",
        "key": "rome/web",
    }


def test_an_error_has_its_place(lines: Counted) -> None:
    structlog.get_logger().error("failed", exc_info=KeyError("spec"))
    [line] = parsed(lines)
    assert "KeyError: 'spec'" in str(line["exception"])


def test_what_is_not_asked_for_is_not_written(lines: Counted) -> None:
    structlog.get_logger().debug("detail")
    assert parsed(lines) == []


def test_what_cannot_be_json_is_written_as_text(lines: Counted) -> None:
    structlog.get_logger().info("synced", where={1})
    assert parsed(lines)[0]["where"] == "{1}"


def test_other_loggers_write_in_the_same_form_with_their_fields(lines: Counted) -> None:
    logging.getLogger("liqo.kube.cache").warning("put off", extra={"cache": "Pod"})
    [line] = parsed(lines)
    assert line.pop("time")
    assert line == {
        "event": "put off",
        "level": "warning",
        "logger": "liqo.kube.cache",
        "cache": "Pod",
    }


def test_an_error_of_another_logger_has_its_place_too(lines: Counted) -> None:
    try:
        raise KeyError("spec")
    except KeyError:
        logging.getLogger("asyncio").exception("never retrieved")
    assert "KeyError: 'spec'" in str(parsed(lines)[0]["exception"])


async def test_lines_of_one_moment_are_written_together(lines: Counted) -> None:
    for name in ("web", "db"):
        structlog.get_logger().info("applied", key=name)
    assert lines.flushes == 0
    await lines.flushed.wait()
    lines.flushed.clear()
    structlog.get_logger().info("applied", key="cart")
    await lines.flushed.wait()
    assert lines.flushes == 2
    assert [line["key"] for line in parsed(lines)] == ["web", "db", "cart"]


async def test_a_warning_is_written_at_once_with_what_was_said_before(lines: Counted) -> None:
    structlog.get_logger().info("applied", key="web")
    structlog.get_logger().warning("refused", key="db")
    assert lines.flushes == 1


def test_what_is_said_while_no_loop_runs_is_written_at_once(lines: Counted) -> None:
    structlog.get_logger().info("stopping")
    assert lines.flushes == 1


def test_a_program_writes_a_moment_as_one_also_where_python_has_no_buffer() -> None:
    """The last moment, too, in which nobody is left to write it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)  # one write, one packet
    unbuffered = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with ours, theirs:
        command = [sys.executable, "-c", PROGRAM]
        subprocess.run(command, check=True, stderr=theirs.fileno(), env=unbuffered)
        written = ours.recv(4096)
    assert [json.loads(line)["key"] for line in written.splitlines()] == ["web", "db"]
