"""Structured logs: one JSON object per line, a constant message and variable fields.

A line is cheap, a write is not: our process, the container runtime and the disk pay for each. So
lines of one moment are written together; a warning at once, with all that was said before it.
"""

import asyncio
import logging
import sys
from typing import Any, BinaryIO

import orjson
import structlog

STANDARD = frozenset(vars(logging.makeLogRecord({})))  # what every record has, whoever logs
MOMENT = 0.1  # seconds
KEPT = 64 * 1024  # bytes that one moment may bring before they are written


def configure(file: BinaryIO | None = None, level: int = logging.INFO) -> None:
    """Once per process, before anything is logged."""
    lines = _Lines(file or _standard_error())
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", key="time"),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(serializer=_to_json),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: lines,
    )
    logging.basicConfig(handlers=[_Forward(lines)], level=level, force=True)


def _to_json(fields: dict[str, Any], **_: Any) -> bytes:
    return orjson.dumps(fields, default=str)


def _standard_error() -> BinaryIO:
    """With a buffer, which Python's own may lack: in our image it has none."""
    return open(sys.stderr.fileno(), "wb", buffering=KEPT, closefd=False)


class _Lines:
    """What structlog calls with a line, by the name of its level."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._is_due = False

    def info(self, line: bytes) -> None:
        self._file.write(line + b"\n")
        if self._is_due:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # before it starts, and after it ended
            self._file.flush()
            return
        self._is_due = True
        loop.call_later(MOMENT, self.flush)

    def warning(self, line: bytes) -> None:
        self._file.write(line + b"\n")
        self._file.flush()

    debug = info
    error = critical = exception = warning

    def flush(self) -> None:
        self._is_due = False
        self._file.flush()


class _Forward(logging.Handler):
    """What is logged in the standard way, by us or by libraries, in our form.

    Python asks its handlers to write what they hold back, at the latest when the process ends.
    """

    def __init__(self, lines: _Lines) -> None:
        super().__init__()
        self._lines = lines

    def flush(self) -> None:
        self._lines.flush()

    def emit(self, record: logging.LogRecord) -> None:
        fields = {name: value for name, value in vars(record).items() if name not in STANDARD}
        if record.exc_info:
            fields["exc_info"] = record.exc_info
        log = structlog.get_logger()
        log.log(record.levelno, record.getMessage(), logger=record.name, **fields)
