"""A share of what is free: how much of it a consumer gets, by a sum that can be shown.

    granted = round(percentage × Σ over nodes of max(0, allocatable − requested))

Rounding is done once, on the sum: four nodes with a GPU each and 90 percent are 3 GPUs, not none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from liqo.api.values import ResourceList
from liqo.rules.amounts import readable, whole
from liqo.rules.explanation import NO_NODE, ROUNDED_AWAY, Explanation, Line
from liqo.rules.quantity import NANO, ZERO, Form, Quantity
from liqo.rules.usage import PODS

Rounding: TypeAlias = Literal["floor", "ceil", "at-least-one"]
ROUNDINGS: tuple[Rounding, ...] = get_args(Rounding)
MILLI = NANO // 1000
MEBI = 2**20 * NANO
HUGE_PAGES = "hugepages-"
PERCENTAGE, ROUNDING, OF_PEER = "percentage", "rounding", "percentage."  # names of settings
PERCENT = re.compile(r"100|[1-9][0-9]?")
SHOWN = 5  # nodes, of those with most: what comes after fits even less


@dataclass(frozen=True)
class Sharing:
    """What an administrator decided about shares; whatever is not a percentage is refused."""

    percentage: int = 90
    rounding: Rounding = "floor"
    of_peers: Mapping[str, int] = field(default_factory=dict)  # another percentage, by consumer
    unknown: frozenset[str] = frozenset()  # settings that nobody can read, nor could before

    def with_peer(self, consumer: str) -> int:
        return self.of_peers.get(consumer, self.percentage)

    def missing(self, consumer: str) -> str:
        """The first setting without which its share is not known; empty: it is."""
        if not self.unknown:
            return ""
        its = f"{OF_PEER}{consumer}"
        percentage = PERCENTAGE if consumer not in self.of_peers else ""
        return next((each for each in (its, percentage, ROUNDING) if each in self.unknown), "")


def check_percentage(written: str) -> str:
    """What is wrong with it; nothing, if it is one."""
    if written == "0":
        return (
            "0 percent is to lend nothing: switch the class off, with "
            "authentication.shareResourceSliceClassEnabled=false"
        )
    if PERCENT.fullmatch(written) is None:
        return f'"{written}" is not a percentage: it must be a whole number from 1 to 100'
    return ""


def check_rounding(written: str) -> str:
    if written not in ROUNDINGS:
        return f'"{written}" is not a rounding: it must be one of {", ".join(ROUNDINGS)}'
    return ""


@dataclass(frozen=True)
class Free:
    """One resource of all nodes that count, in nano-units."""

    allocatable: int
    free: int  # never more than that: what others asked for is off, node by node
    by_node: tuple[int, ...] = ()  # where it is: most first


@dataclass(frozen=True)
class Portion:
    """One resource of an offer, with all that its sum is made of."""

    name: str
    granted: Quantity
    allocatable: Quantity
    free: Quantity
    by_node: tuple[Quantity, ...] = ()
    asked: Quantity | None = None  # None: whatever there is

    @property
    def largest(self) -> Quantity:
        """What one pod may ask for: what a node has free, of what is granted."""
        return min(self.by_node[0], self.granted)

    @property
    def is_rounded_away(self) -> bool:
        """There is some of it, more was wanted than none, and none is what is left."""
        return bool(self.free) and not self.granted and self.asked != ZERO


@dataclass(frozen=True)
class Offer:
    percentage: int
    rounding: Rounding
    nodes: int  # that count
    portions: tuple[Portion, ...]

    @property
    def resources(self) -> ResourceList:
        return {each.name: str(each.granted) for each in self.portions}

    @property
    def rounded_away(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.portions if each.is_rounded_away)


def offer(
    free: Mapping[str, Free], nodes: int, percentage: int, rounding: Rounding, asked: ResourceList
) -> Offer:
    """Of every resource that there is; of one that is asked for and does not exist, none."""
    known = {**{name: Free(0, 0) for name in asked}, **free}
    wanted = {name: readable(amount) for name, amount in asked.items()}
    portions = [
        _portion(name, found, shared(name, found.free, percentage, rounding), wanted.get(name))
        for name, found in sorted(known.items())
    ]
    return Offer(percentage, rounding, nodes, tuple(portions))


def _portion(name: str, found: Free, share: int, asked: Quantity | None) -> Portion:
    form = form_of(name)
    granted = share if asked is None else min(share, whole(name, asked).nano)
    return Portion(
        name=name,
        granted=Quantity(granted, form),
        allocatable=Quantity(found.allocatable, form),
        free=Quantity(found.free, form),
        by_node=tuple(Quantity(amount, form) for amount in found.by_node),
        asked=asked,
    )


def shared(name: str, free: int, percentage: int, rounding: Rounding) -> int:
    """In nano-units, as whole units of that resource, and never more of them than are free."""
    unit = unit_of(name)
    exact, divisor = free * percentage, 100 * unit
    units = min(-(-exact // divisor), free // unit) if rounding == "ceil" else exact // divisor
    if rounding == "at-least-one" and not units and free >= unit:
        units = 1
    return units * unit


def unit_of(name: str) -> int:
    """The least of it that is shared: a pod may ask for half a core, but not for half a GPU."""
    if name == "cpu":
        return MILLI
    if name in {"memory", "ephemeral-storage"}:
        return MEBI
    if name.startswith(HUGE_PAGES):
        return max(NANO, readable(name.removeprefix(HUGE_PAGES)).nano)
    return NANO


def form_of(name: str) -> Form:
    is_bytes = name in {"memory", "ephemeral-storage"} or name.startswith(HUGE_PAGES)
    return "binary" if is_bytes else "decimal"


def explained(made: Offer) -> Explanation:
    """`cpu 45 = floor(0.9 × (100 − 50))`, and what of it fits on one node: of places any pod."""
    located = [each for each in made.portions if each.by_node]
    largest = {each.name: str(each.largest) for each in located if each.name != PODS}
    return Explanation(
        lines=tuple(_lines(made)),
        nodes=made.nodes if largest else 0,  # they are told with it
        largest=largest,
        spread={each.name: tuple(map(str, each.by_node)) for each in located},
    )


def _lines(made: Offer) -> Iterator[Line]:
    for each in made.portions:
        yield Line(each.name, str(each.granted), _sum(made, each), _hint(made, each))


def _hint(made: Offer, portion: Portion) -> str:
    if not made.nodes:
        return NO_NODE
    return ROUNDED_AWAY if portion.is_rounded_away else ""


def _sum(made: Offer, portion: Portion) -> str:
    off = portion.allocatable - portion.free
    free = f"({portion.allocatable} − {off})" if off else str(portion.allocatable)
    share = f"{made.rounding}({made.percentage / 100:g} × {free})"
    return share if portion.asked is None else f"min({portion.asked}, {share})"
