"""Label selectors as people write them, `region=south,!gpu`, and the terms that they mean.

key=value, key==value    In            key!=value         NotIn
key in (a, b)            In            key notin (a, b)   NotIn
key                      Exists        !key               DoesNotExist
key>1                    Gt            key<1              Lt
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from liqo.rules import selectors
from liqo.rules.selectors import EXPRESSIONS, Expression, Term

KEY = r"(?P<key>[^\s!=<>(),]+)"
COMPARED = re.compile(rf"{KEY}\s*(?P<operator>==|=|!=|>|<)\s*(?P<value>[^\s!=<>(),]*)")
LISTED = re.compile(rf"{KEY}\s+(?P<operator>in|notin)\s*\((?P<values>[^()]*)\)")
THERE = re.compile(rf"(?P<absent>!\s*)?{KEY}")
COMMA = re.compile(r",(?![^(]*\))")  # not one between brackets
OPERATORS = {
    "=": "In",
    "==": "In",
    "in": "In",
    "!=": "NotIn",
    "notin": "NotIn",
    ">": "Gt",
    "<": "Lt",
}


def term(text: str) -> Term:
    """All of its requirements at once. ValueError, with a sentence, if it makes no sense."""
    expressions = list(_expressions(text))
    found: Term = {EXPRESSIONS: expressions}
    if wrong := selectors.problem({"nodeSelectorTerms": [found]}):
        raise ValueError(f'"{text}" is no label selector: {wrong.partition(": ")[2]}')
    return found


def _expressions(text: str) -> Iterator[Expression]:
    for requirement in COMMA.split(text):
        expression = _expression(requirement.strip())
        if expression is None:
            raise ValueError(
                f'"{text}" is no label selector: {_nothing(requirement)}; write it like '
                "region=south, region!=south, region in (north,south), region or !region"
            )
        yield expression


def _expression(text: str) -> Expression | None:
    if found := COMPARED.fullmatch(text):
        return _made(found["key"], OPERATORS[found["operator"]], found["value"])
    if found := LISTED.fullmatch(text):
        values = (value.strip() for value in found["values"].split(","))
        return _made(found["key"], OPERATORS[found["operator"]], *values)
    if found := THERE.fullmatch(text):
        return _made(found["key"], "DoesNotExist" if found["absent"] else "Exists")
    return None


def _made(key: str, operator: str, *values: str) -> Expression:
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


def _nothing(requirement: str) -> str:
    wanted = requirement.strip()
    return f'"{wanted}" cannot be understood' if wanted else "a part of it is empty"
