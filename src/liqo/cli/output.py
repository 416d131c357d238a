"""What liqoctl prints: messages to stderr, results to stdout.

On a terminal a message is styled (` INFO  text`, ` INFO   (remote) text`) and waiting shows a
spinner; elsewhere it is plain (`INFO: text`), so that a log file stays readable.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from liqo.errors import LiqoError

Format = Literal["table", "json", "yaml"]
Scope = Literal["", "local", "remote"]

STYLES = {"INFO": "\x1b[30;46m", "WARN": "\x1b[30;43m", "ERRO": "\x1b[30;41m"}
RESET = "\x1b[0m"
ERASE = "\r\x1b[K"
FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
FRAME = 0.1  # seconds


class Output:
    """The only door to the terminal."""

    def __init__(self, scope: Scope = "") -> None:
        self.scope = scope
        self.on_terminal = sys.stderr.isatty()
        self.styled = self.on_terminal and "NO_COLOR" not in os.environ

    def about(self, scope: Scope) -> Output:
        """The same, for messages about one of two clusters."""
        return Output(scope)

    def info(self, message: str) -> None:
        self._say("INFO", message)

    def warning(self, message: str) -> None:
        self._say("WARN", message)

    def error(self, message: str) -> None:
        self._say("ERRO", message)

    @contextmanager
    def step(self, doing: str, done: str = "") -> Iterator[None]:
        """What is being done now, and what to say when it is; nothing if it fails."""
        if not self.on_terminal:
            sys.stderr.write(f"{doing}\n")
            sys.stderr.flush()
            yield
        else:
            with _spinning(doing):
                yield
        if done:
            self.info(done)

    def confirm(self, command: str, *, skip: bool) -> None:
        """Ask before what cannot be undone. Raises unless the answer is yes."""
        if skip:
            return
        if not sys.stdin.isatty():
            raise LiqoError(
                f"{command} is a potentially destructive command, and there is no terminal to ask "
                "on; say yes with --skip-confirm"
            )
        sys.stderr.write(f"{command} is a potentially destructive command.\n")
        sys.stderr.write("Are you sure you want to continue? [yes/no] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
            raise LiqoError("action aborted")

    def result(self, text: str) -> None:
        """A line of what was asked for."""
        self.text(text if text.endswith("\n") else text + "\n")

    def text(self, text: str) -> None:
        """What was asked for, to the letter."""
        sys.stdout.write(text)
        sys.stdout.flush()

    def document(self, value: Any, form: Literal["json", "yaml"]) -> None:
        if form == "json":
            self.result(json.dumps(value, indent=2))
            return
        from liqo.cli.documents import as_yaml

        self.text(as_yaml(value))

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Columns three spaces apart, as kubectl prints them."""
        widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
        for row in (columns, *rows):
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            self.result("   ".join(cells).rstrip())

    def _say(self, level: str, message: str) -> None:
        over = ERASE if self.on_terminal else ""  # a spinner may stand there
        sys.stderr.write(f"{over}{self._prefix(level)}{message}\n")
        sys.stderr.flush()

    def _prefix(self, level: str) -> str:
        if not self.on_terminal:
            return f"{level}: "
        label = f"{STYLES[level]} {level} {RESET}" if self.styled else f" {level} "
        return f"{label}  ({self.scope}) " if self.scope else f"{label} "


@contextmanager
def _spinning(text: str) -> Iterator[None]:
    """A thread draws: work may keep the event loop busy, and the seconds must not stand still."""
    over = threading.Event()
    began = time.monotonic()

    def draw() -> None:
        turn = 0
        while not over.wait(FRAME):
            seconds = int(time.monotonic() - began)
            sys.stderr.write(f"{ERASE}{FRAMES[turn % len(FRAMES)]}  {text} ({seconds}s)")
            sys.stderr.flush()
            turn += 1

    thread = threading.Thread(target=draw, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        sys.stderr.write(ERASE)
