r"""The small language of --set: `a.b=1,c.d={x,y}`; `\.` and `\,` are no separators."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from liqo.api.meta import JSON
from liqo.errors import LiqoError

ITEM = re.compile(r"((?:\\.|[^\\=])+)=(\{(?:\\.|[^\\}])*\}|(?:\\.|[^\\,])*)(?:,|$)")
DOT = re.compile(r"(?<!\\)\.")
COMMA = re.compile(r"(?<!\\),")
WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}
NUMBER = re.compile(r"-?(0|[1-9]\d*)")


def parsed(texts: Iterable[str], *, as_text: bool = False) -> JSON:
    """One tree of all of them. `as_text` takes every value as it is written."""
    grown: JSON = {}
    for text in texts:
        for path, value in _items(text):
            *above, last = (_plain(name) for name in DOT.split(path))
            place = grown
            for name in above:
                place = place.setdefault(name, {})
                if not isinstance(place, dict):
                    raise LiqoError(f'"{text}" sets something below "{name}", which is a value')
            place[last] = _value(value, as_text)
    return grown


def _items(text: str) -> Iterable[tuple[str, str]]:
    position = 0
    while position < len(text):
        found = ITEM.match(text, position)
        if found is None:
            raise LiqoError(f'"{text}" is not of the form key=value, or key={{value,value}}')
        yield found[1], found[2]
        position = found.end()


def _value(text: str, as_text: bool) -> Any:
    if text.startswith("{") and text.endswith("}"):
        inside = text[1:-1]
        return [_scalar(each, as_text) for each in COMMA.split(inside)] if inside else []
    return _scalar(text, as_text)


def _scalar(text: str, as_text: bool) -> Any:
    plain = _plain(text)
    if as_text:
        return plain
    if plain in WORDS:
        return WORDS[plain]
    return int(plain) if NUMBER.fullmatch(plain) else plain


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
