"""Structured logs: one JSON object per line, a constant message and variable fields."""

import logging
import sys
from typing import Any, BinaryIO

import orjson
import structlog

STANDARD = frozenset(vars(logging.makeLogRecord({})))  # what every record has, whoever logs


def configure(file: BinaryIO | None = None, level: int = logging.INFO) -> None:
    """Once per process, before anything is logged."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", key="time"),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(serializer=_to_json),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.BytesLoggerFactory(file=file or sys.stderr.buffer),
    )
    logging.basicConfig(handlers=[_Forward()], level=level, force=True)


def _to_json(fields: dict[str, Any], **_: Any) -> bytes:
    return orjson.dumps(fields, default=str)


class _Forward(logging.Handler):
    """What is logged in the standard way, by us or by libraries, in our form."""

    def emit(self, record: logging.LogRecord) -> None:
        fields = {name: value for name, value in vars(record).items() if name not in STANDARD}
        if record.exc_info:
            fields["exc_info"] = record.exc_info
        log = structlog.get_logger()
        log.log(record.levelno, record.getMessage(), logger=record.name, **fields)
