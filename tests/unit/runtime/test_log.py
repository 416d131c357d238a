"""Logs are one JSON object per line."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from liqo.runtime import log as logs


@pytest.fixture
def lines() -> Iterator[io.BytesIO]:
    """What is logged while the test runs; other tests log as before."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    written = io.BytesIO()
    logs.configure(written)
    yield written
    structlog.reset_defaults()
    root.handlers[:], root.level = handlers, level


def parsed(lines: io.BytesIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def test_a_line_has_a_message_and_fields(lines: io.BytesIO) -> None:
    structlog.get_logger().info("applied", controller="provider/quota", key="rome/web")
    [line] = parsed(lines)
    assert line.pop("time")
    assert line == {
        "event": "applied",
        "level": "info",
        "controller": "provider/quota",
        "key": "rome/web",
    }


def test_an_error_has_its_place(lines: io.BytesIO) -> None:
    structlog.get_logger().error("failed", exc_info=KeyError("spec"))
    [line] = parsed(lines)
    assert "KeyError: 'spec'" in str(line["exception"])


def test_what_is_not_asked_for_is_not_written(lines: io.BytesIO) -> None:
    structlog.get_logger().debug("detail")
    assert parsed(lines) == []


def test_what_cannot_be_json_is_written_as_text(lines: io.BytesIO) -> None:
    structlog.get_logger().info("synced", where={1})
    assert parsed(lines)[0]["where"] == "{1}"


def test_other_loggers_write_in_the_same_form_with_their_fields(lines: io.BytesIO) -> None:
    logging.getLogger("liqo.kube.cache").warning("put off", extra={"cache": "Pod"})
    [line] = parsed(lines)
    assert line.pop("time")
    assert line == {
        "event": "put off",
        "level": "warning",
        "logger": "liqo.kube.cache",
        "cache": "Pod",
    }


def test_an_error_of_another_logger_has_its_place_too(lines: io.BytesIO) -> None:
    try:
        raise KeyError("spec")
    except KeyError:
        logging.getLogger("asyncio").exception("never retrieved")
    assert "KeyError: 'spec'" in str(parsed(lines)[0]["exception"])
