"""Flags of programs, as Go programs take them: `--flag=value`, and a bare `--flag` means true."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Flag: TypeAlias = tuple[str, Callable[[str], object], object]
"""Its name, how its value is read, and what it is if nobody says."""

SWITCH = {"1": True, "t": True, "true": True, "0": False, "f": False, "false": False}
SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
DURATION = re.compile(r"(\d+(?:\.\d+)?)(h|ms|m|s)")


def of_a_cluster(program: str, about: str | None, flags: Iterable[Flag]) -> argparse.ArgumentParser:
    """For a program of one cluster: that it must be told the cluster's ID, and what else it may."""
    parser = argparse.ArgumentParser(prog=program, description=about)
    parser.add_argument("--cluster-id", required=True)
    add(parser, flags)
    return parser


def add(parser: argparse.ArgumentParser, flags: Iterable[Flag]) -> None:
    for flag, parse, default in flags:
        if parse is switch:
            parser.add_argument(flag, type=parse, default=default, nargs="?", const=True)
        else:
            parser.add_argument(flag, type=parse, default=default)


def switch(text: str) -> bool:
    return word(SWITCH, text)


def word(words: Mapping[str, T], text: str) -> T:
    """argparse makes a sentence of a ValueError."""
    if text.lower() not in words:
        raise ValueError(text)
    return words[text.lower()]


def pairs(text: str) -> dict[str, str]:
    """`k1=v1,k2=v2`; a value may hold further equals signs."""
    return dict(item.split("=", 1) for item in text.split(",") if item)


def duration(text: str) -> float:
    """Seconds, of what Go writes: `15s`, `1m30s`, `0`."""
    if text == "0":
        return 0.0
    parts = DURATION.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError(text)
    return sum(float(number) * SECONDS[unit] for number, unit in parts)
