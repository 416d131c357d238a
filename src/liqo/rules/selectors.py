"""Node selectors: which nodes they choose, as Kubernetes' scheduler reads them.

Terms are alternatives; the expressions of a term must all hold. An empty term chooses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from liqo.api.meta import JSON
from liqo.rules import names

Term: TypeAlias = JSON
Expression: TypeAlias = JSON

EXPRESSIONS, FIELDS = "matchExpressions", "matchFields"
NAME_FIELD = "metadata.name"  # the only one that Kubernetes knows
NOTHING: Term = {}  # chooses no node

PREFIX = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
WORD = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")  # also the value of a label
NUMBER = re.compile(r"[-+]?[0-9]+")
BITS = 63  # of a number that Kubernetes compares


@dataclass(frozen=True)
class Candidate:
    """A node, as far as selectors look at it."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)


def terms_of(selector: JSON | None) -> Sequence[Term]:
    terms: Sequence[Term] = (selector or {}).get("nodeSelectorTerms") or ()
    return terms


def chooses(selector: JSON, node: Candidate) -> bool:
    """Without any term it chooses every node."""
    terms = terms_of(selector)
    return not terms or is_in(terms, node)


def is_in(terms: Iterable[Term], node: Candidate) -> bool:
    return any(holds(term, node) for term in terms)


def holds(term: Term, node: Candidate) -> bool:
    if not demands(term):
        return False
    by_label = all(_agrees(each, node.labels) for each in term.get(EXPRESSIONS) or ())
    return by_label and all(
        _agrees(each, {NAME_FIELD: node.name}) for each in term.get(FIELDS) or ()
    )


def demands(term: Term) -> bool:
    return bool(term.get(EXPRESSIONS) or term.get(FIELDS))


def _agrees(expression: Expression, found: Mapping[str, str]) -> bool:
    operator = OPERATORS.get(expression.get("operator", ""))
    value = found.get(expression.get("key", ""))
    return operator is not None and operator(value, expression.get("values") or ())


def _compared(found: str | None, values: Sequence[str]) -> int:
    """How much more it is than asked for; 0 where that is no question of numbers."""
    one, other = _number(found or ""), _number(values[0] if len(values) == 1 else "")
    return 0 if one is None or other is None else one - other


def _number(text: str) -> int | None:
    number = int(text) if NUMBER.fullmatch(text) and len(text) <= names.LABEL else None
    return number if number is not None and -(2**BITS) <= number < 2**BITS else None


Operator: TypeAlias = Callable[[str | None, Sequence[str]], bool]
OPERATORS: Mapping[str, Operator] = {
    "In": lambda found, values: found is not None and found in values,
    "NotIn": lambda found, values: found is None or found not in values,
    "Exists": lambda found, _: found is not None,
    "DoesNotExist": lambda found, _: found is None,
    "Gt": lambda found, values: _compared(found, values) > 0,
    "Lt": lambda found, values: _compared(found, values) < 0,
}


def problem(selector: JSON) -> str:
    """Why it cannot be used, as a sentence; empty where it can."""
    return next(_problems(selector), "")


def _problems(selector: JSON) -> Iterator[str]:
    for number, term in enumerate(terms_of(selector)):
        where = f"nodeSelectorTerms[{number}]"
        for part, check in ((EXPRESSIONS, _check_label), (FIELDS, _check_field)):
            for place, expression in enumerate(term.get(part) or ()):
                if wrong := check(expression):
                    yield f"{where}.{part}[{place}]: {wrong}"


def _check_label(expression: Expression) -> str:
    key, values = expression.get("key", ""), expression.get("values") or ()
    if not is_key(key):
        return f'"{key}" cannot be the key of a label'
    unusable = [each for each in values if not is_value(each)]
    wrong = f'"{unusable[0]}" cannot be the value of a label' if unusable else ""
    return _check_operator(expression.get("operator", ""), values) or wrong


def _check_operator(operator: str, values: Sequence[str]) -> str:
    match operator:
        case "In" | "NotIn":
            return "" if values else f"the operator {operator} needs values"
        case "Exists" | "DoesNotExist":
            return f"the operator {operator} takes no values" if values else ""
        case "Gt" | "Lt":
            is_one = len(values) == 1 and _number(values[0]) is not None
            return "" if is_one else f"the operator {operator} needs one value, a whole number"
    known = ", ".join(OPERATORS)
    return f'there is no operator "{operator}"; there are {known}'


def _check_field(expression: Expression) -> str:
    key, operator = expression.get("key", ""), expression.get("operator", "")
    if key != NAME_FIELD:
        return f'there is no field "{key}" to select by; there is {NAME_FIELD}'
    if operator not in ("In", "NotIn"):
        return f'the operator of a field is In or NotIn, not "{operator}"'
    is_one = len(expression.get("values") or ()) == 1
    return "" if is_one else "a field needs exactly one value"


def is_key(key: str) -> bool:
    prefix, slash, name = key.rpartition("/")
    is_named = bool(WORD.fullmatch(name)) and len(name) <= names.LABEL
    is_prefixed = bool(PREFIX.fullmatch(prefix)) and len(prefix) <= names.NAME
    return is_named and (is_prefixed if slash else True)


def is_value(value: str) -> bool:
    return not value or (bool(WORD.fullmatch(value)) and len(value) <= names.LABEL)
