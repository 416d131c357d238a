"""Structured logs: one JSON object per line, a constant message and variable fields."""

import logging
import sys
from typing import Any

import orjson
import structlog


def configure(level: int = logging.INFO) -> None:
    """Once per process, before anything is logged."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", key="time"),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(serializer=_to_json),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.BytesLoggerFactory(file=sys.stderr.buffer),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(handlers=[_Forward()], level=logging.WARNING, force=True)


def _to_json(fields: dict[str, Any], **_: Any) -> bytes:
    return orjson.dumps(fields, default=str)


class _Forward(logging.Handler):
    """Warnings of libraries, in our form."""

    def emit(self, record: logging.LogRecord) -> None:
        log = structlog.get_logger()
        log.log(record.levelno, record.getMessage(), logger=record.name, exc_info=record.exc_info)
