"""What liqoctl prints: messages to stderr, results to stdout.

On a terminal a message is styled (` INFO  text`); elsewhere it is plain (`INFO: text`), so that
a log file stays readable.
"""

import json
import os
import sys
from collections.abc import Sequence
from typing import Any, Literal

Format = Literal["table", "json", "yaml"]

STYLES = {"INFO": "\x1b[30;46m", "WARN": "\x1b[30;43m", "ERRO": "\x1b[30;41m"}
RESET = "\x1b[0m"


class Output:
    """The only door to the terminal."""

    def __init__(self) -> None:
        self.styled = sys.stderr.isatty() and "NO_COLOR" not in os.environ

    def info(self, message: str) -> None:
        self._say("INFO", message)

    def warning(self, message: str) -> None:
        self._say("WARN", message)

    def error(self, message: str) -> None:
        self._say("ERRO", message)

    def result(self, text: str) -> None:
        """A line of what was asked for."""
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()

    def document(self, value: Any, form: Literal["json", "yaml"]) -> None:
        if form == "json":
            self.result(json.dumps(value, indent=2))
            return
        import yaml

        self.result(yaml.safe_dump(value, sort_keys=False))

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Columns three spaces apart, as kubectl prints them."""
        widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
        for row in (columns, *rows):
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            self.result("   ".join(cells).rstrip())

    def _say(self, level: str, message: str) -> None:
        prefix = f"{STYLES[level]} {level} {RESET} " if self.styled else f"{level}: "
        sys.stderr.write(f"{prefix}{message}\n")
        sys.stderr.flush()
