"""Reads a page whose commands are run: what it tells, the commands, and what it says they print.

A `…` of the page stands for anything; on a line of its own, for any lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

BLOCK = re.compile(r"^```(?P<kind>sh|text)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
CONTINUED = re.compile(r"\\\n")
ANSWER = re.compile(r"\[yes/no\] (?P<answer>yes|no)$", re.MULTILINE)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
ANY = "…"
LOOKS = ("kubectl get ", "kubectl logs ", "kubectl top ")  # they change nothing

# What differs from run to run, and a word for it. Columns move with it.
MASKS = (
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME"),
    (r"\b\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\b", "TIME"),
    (r"\b\d+\.\d+\.\d+\.\d+(?::\d+)?\b", "IP"),
    (r"\bv\d+\.\d+\.\d+\b", "VERSION"),
    (r"\b(app-(?:south|center))-[0-9a-z]{5,10}-[0-9a-z]{5}\b", r"\1-HASH"),
    (r"\b(?:\d+h)?(?:\d+m)?\d+[sm]\b", "AGE"),
    (r"\b\d+Mi\b", "SIZE"),
    (r" {2,}", "  "),
    (r" +$", ""),
)


@dataclass(frozen=True)
class Step:
    """Some commands, and what they print together; empty where the page does not say."""

    told: str  # before
    commands: tuple[str, ...]
    printed: str = ""

    @property
    def answers(self) -> list[str]:
        return ANSWER.findall(self.printed)

    @property
    def is_look(self) -> bool:
        """Things take their time: it is repeated until it shows what the page shows."""
        return len(self.commands) == 1 and self.commands[0].startswith(LOOKS)

    def is_as_told(self, said: str) -> bool:
        return not self.printed or is_alike(said, self.printed)


def steps(page: str) -> Iterator[Step]:
    told, commands, end = "", tuple[str, ...](), 0
    for block in BLOCK.finditer(page):
        before = page[end : block.start()].strip()
        end = block.end()
        if block["kind"] == "text":
            yield Step(told, commands, block["text"])
            commands = ()
            continue
        if commands:
            yield Step(told, commands)
        told, commands = plain(before), tuple(_commands(block["text"]))
    if commands:
        yield Step(told, commands)


def plain(text: str) -> str:
    """As a terminal shows it."""
    return LINK.sub(r"\1", text).replace("`", "")


def masked(text: str) -> str:
    for pattern, word in MASKS:
        text = re.sub(pattern, word, text, flags=re.MULTILINE)
    return text


def is_alike(said: str, printed: str) -> bool:
    return re.fullmatch(_pattern(masked(printed)), masked(said)) is not None


def _commands(text: str) -> Iterator[str]:
    """A command ends with its line, unless a backslash is there."""
    for line in CONTINUED.sub("\0", text).splitlines():
        yield line.replace("\0", "\\\n")


def _pattern(printed: str) -> str:
    return "".join(
        "(?:.*\n)*?" if line == ANY else f"{'.*'.join(map(re.escape, line.split(ANY)))}\n"
        for line in printed.splitlines()
    )
