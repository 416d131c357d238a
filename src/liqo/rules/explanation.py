"""Why a number is what it is: a text for people that programs can read back.

It travels in the message of a condition, because the wire has no other place for it:

    cpu 45 = floor(0.9 × (100 − 50))
    nvidia.com/gpu 0 = floor(0.9 × 1): use at-least-one
    largest pod on one of 4 nodes: cpu 25, nvidia.com/gpu 0
    free by node: cpu 25 10 10 5, nvidia.com/gpu 1
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

LINE = re.compile(r"(?P<name>\S+) (?P<granted>\S+) = (?P<sum>.+?)(?:: (?P<hint>.+))?")
LARGEST = re.compile(r"largest pod on one of (?P<nodes>[0-9]{1,9}) nodes: (?P<amounts>.+)")
SPREAD = re.compile(r"free by node: (?P<amounts>.+)")


ROUNDED_AWAY = "use at-least-one"  # rather than nothing of what there is
NO_NODE = "no node is ready and takes pods"


@dataclass(frozen=True)
class Line:
    name: str  # of a resource
    granted: str
    sum: str
    hint: str = ""  # what is wrong, or what to do about it

    def __str__(self) -> str:
        return f"{self.name} {self.granted} = {self.sum}" + (f": {self.hint}" if self.hint else "")


@dataclass(frozen=True)
class Explanation:
    lines: tuple[Line, ...]
    nodes: int = 0
    largest: Mapping[str, str] = field(default_factory=dict)  # by resource: granted, on one node
    spread: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # on several, most first


def written(told: Explanation) -> str:
    return "\n".join(_texts(told))


def _texts(told: Explanation) -> Iterator[str]:
    yield from map(str, told.lines)
    if told.largest:
        largest = ", ".join(f"{name} {amount}" for name, amount in told.largest.items())
        yield f"largest pod on one of {told.nodes} nodes: {largest}"
    if told.spread:
        spread = ", ".join(f"{name} {' '.join(amounts)}" for name, amounts in told.spread.items())
        yield f"free by node: {spread}"


def read(text: str) -> Explanation | None:
    """None: somebody else's words, as those of a class that explains nothing."""
    lines, nodes = [], 0
    largest: dict[str, str] = {}
    spread: dict[str, tuple[str, ...]] = {}
    for each in text.split("\n"):
        if found := LARGEST.fullmatch(each):
            nodes = int(found["nodes"])
            largest = {name: amount for name, (amount, *_) in _amounts(found["amounts"])}
        elif found := SPREAD.fullmatch(each):
            spread = {name: tuple(amounts) for name, amounts in _amounts(found["amounts"])}
        elif found := LINE.fullmatch(each):
            lines.append(Line(found["name"], found["granted"], found["sum"], found["hint"] or ""))
        else:
            return None
    return Explanation(tuple(lines), nodes, largest, spread)


def rounded_away(text: str) -> dict[str, Line]:
    """By resource: why a share of it is none, though there is some."""
    told = read(text)
    lines = told.lines if told is not None else ()
    return {line.name: line for line in lines if line.hint == ROUNDED_AWAY}


def _amounts(text: str) -> Iterator[tuple[str, list[str]]]:
    for each in text.split(", "):
        name, *amounts = each.split(" ")
        if amounts:
            yield name, amounts
