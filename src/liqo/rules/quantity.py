"""Quantities as Kubernetes writes them, computed exactly: 500m + 1 = 1500m.

A value is a whole number of nano-units, the finest that Kubernetes keeps; what is finer is rounded
up, away from zero. Beside it goes the form in which it was written, because sums are printed in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeAlias

Form: TypeAlias = Literal["decimal", "binary", "exponent"]

NANO = 10**9
BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
DECIMAL_SUFFIX = {exponent: suffix for suffix, exponent in DECIMAL.items()}
LARGEST_BINARY = (2**63 - 1) * NANO  # more than 8Ei of anything is cut to this by Kubernetes
LONGEST = 100  # characters: nobody has that much, and of some thousand digits no text can be made
QUOTED = 40  # of somebody's mistake that are repeated to them
NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?=\.?[0-9])(?P<whole>[0-9]*)\.?(?P<fraction>[0-9]*)"
    # Three digits are enough for an exponent: a longer one only makes the reader's memory explode.
    r"(?:[eE](?P<exponent>[+-]?[0-9]{1,3})|(?P<suffix>[KMGTPE]i|[numkMGTPE]?))"
)


@dataclass(frozen=True, order=True, slots=True)
class Quantity:
    """How much of something. Equal and ordered by what it is worth, however it was written."""

    nano: int
    form: Form = field(default="decimal", compare=False)

    def __add__(self, other: Quantity) -> Quantity:
        return Quantity(self.nano + other.nano, self.form if self.nano else other.form)

    def __sub__(self, other: Quantity) -> Quantity:
        return Quantity(self.nano - other.nano, self.form if self.nano else other.form)

    def __bool__(self) -> bool:
        return self.nano != 0

    def percent(self, share: int) -> Quantity:
        """A share of it, never more: what is finer than a nano-unit falls away."""
        return Quantity(toward_zero(self.nano * share, 100), self.form)

    def whole(self) -> Quantity:
        """For what cannot be halved, such as pods and devices: 900m of a GPU are none."""
        return Quantity(toward_zero(self.nano, NANO) * NANO, self.form)

    def __str__(self) -> str:
        return canonical(self.nano, self.form)


@lru_cache(maxsize=4096)  # a cluster has few different quantities, and tells them all the time
def canonical(nano: int, form: Form) -> str:
    """No fraction, and the largest unit that allows it."""
    if not nano:
        return "0"
    if form == "binary" and nano % NANO == 0 and abs(nano) >= 1024 * NANO:
        number, power = reduced(nano // NANO, 1024, len(BINARY) - 1)
        return f"{number}{BINARY[power]}"
    if form == "exponent":
        number, power = reduced(nano, 1000, None)
        return f"{number}e{3 * power - 9}" if power != 3 else str(number)
    number, power = reduced(nano, 1000, 9)
    return f"{number}{DECIMAL_SUFFIX[3 * power - 9]}"


ZERO = Quantity(0)


@lru_cache(maxsize=4096)  # … and asks for them as often
def parse(written: str | int) -> Quantity:
    """Every form that the wire allows: 2, 0.5, 500m, 1.5Gi, 2e3, -1. Otherwise a ValueError."""
    text = str(written).strip()
    found = NUMBER.fullmatch(text) if len(text) <= LONGEST else None
    if found is None:
        shown = text if len(text) <= QUOTED else f"{text[:QUOTED]}…"
        raise ValueError(f'"{shown}" is not a quantity; "500m", "2" and "4Gi" are')
    digits = int(f"{found['sign']}{found['whole']}{found['fraction']}")
    one = 10 ** len(found["fraction"])
    if found["exponent"]:
        return Quantity(scaled(digits, one, int(found["exponent"])), "exponent")
    if found["suffix"] in DECIMAL:
        return Quantity(scaled(digits, one, DECIMAL[found["suffix"]]))
    unit = 1024 ** BINARY.index(found["suffix"])
    nano = away_from_zero(digits * unit * NANO, one)
    if 0 < abs(nano) < NANO:
        return Quantity(nano)  # less than one of anything has no binary form
    return Quantity(max(-LARGEST_BINARY, min(nano, LARGEST_BINARY)), "binary")


def scaled(digits: int, one: int, exponent: int) -> int:
    """`digits / one` times ten to the exponent, in nano-units."""
    power = exponent + 9
    if power >= 0:
        return away_from_zero(digits * 10**power, one)
    return away_from_zero(digits, one * 10**-power)


def away_from_zero(number: int, divisor: int) -> int:
    return -(-number // divisor) if number > 0 else number // divisor


def toward_zero(number: int, divisor: int) -> int:
    return number // divisor if number > 0 else -(-number // divisor)


def reduced(number: int, factor: int, at_most: int | None) -> tuple[int, int]:
    """The number without this factor, and how often it was in it."""
    power = 0
    while number % factor == 0 and power != at_most:
        number //= factor
        power += 1
    return number, power
