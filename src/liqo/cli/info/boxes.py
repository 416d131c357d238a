"""What people read: sections of entries, drawn in boxes.

┌─ Local installation info ────┐
|  Cluster ID: rome            |
|  Cluster labels              |
|      region: north           |
└──────────────────────────────┘
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

WIDTH = 80  # of the text; a longer line makes its box wider
INDENT = " " * 4

Value: TypeAlias = str | Sequence[str]


@dataclass(frozen=True)
class Section:
    """Entries come first, whatever was added when; of several values each has its line."""

    title: str
    entries: Mapping[str, Value] = field(default_factory=dict)
    sections: Sequence[Section] = ()


def draw(boxes: Iterable[Section]) -> str:
    return "".join(f"{line}\n" for box in boxes for line in _box(box))


def _box(section: Section) -> Iterator[str]:
    text = [line for row in _inside(section, 0) for line in row.splitlines()] or [""]
    width = max(WIDTH, *map(len, text))
    heading = f"─ {section.title} "
    yield f"┌{heading:─<{width + 2}}┐"
    for line in text:
        yield f"| {line:<{width}} |"
    yield f"└{'─' * (width + 2)}┘"


def _inside(section: Section, level: int) -> Iterator[str]:
    margin = f"{INDENT * level} "
    longest = max(map(len, section.entries), default=0)
    for key, value in section.entries.items():
        values = [value] if isinstance(value, str) else value
        if len(values) == 1:
            yield f"{margin}{key + ':':<{longest + 1}} {values[0]}"
        else:
            yield f"{margin}{key}"
            yield from (f"{margin}• {each}" for each in values)
    for inner in section.sections:
        yield f"{margin}{inner.title}"
        yield from _inside(inner, level + 1)
