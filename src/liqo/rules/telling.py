"""What somebody outside tells about what a consumer gets: a resource plugin, asked for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from liqo.api.values import ResourceList
from liqo.rules.amounts import readable, whole
from liqo.rules.explanation import Explanation, Line
from liqo.rules.quantity import ZERO, Quantity
from liqo.rules.usage import PODS

NO_PODS = "it names no pods, so that none may come"
NAMED = 3  # slices in one sum: a consumer may make thousands


@dataclass(frozen=True)
class Told:
    resources: ResourceList | None  # the last that could be believed; None: none ever could
    source: str  # who tells it: its address
    problem: str = ""  # what is wrong now, about "it"; empty: nothing

    @property
    def is_stale(self) -> bool:
        return self.resources is not None and bool(self.problem)


@dataclass(frozen=True)
class Taken:
    """What some slices have of one resource."""

    amount: Quantity = ZERO
    slices: int = 0
    first: tuple[str, ...] = ()  # of them, by name

    def and_of(self, slice_: str, amount: Quantity) -> Taken:
        first = (*self.first, slice_)[:NAMED]
        return Taken(self.amount + amount, self.slices + 1, first)


Had: TypeAlias = Mapping[str, Taken]  # by resource
NOBODY = Taken()
NONE: Had = {}


def granted(told: Told, asked: ResourceList, had: Had = NONE) -> ResourceList:
    """What it tells, and of what was asked for no more than that; of what it leaves out, none.

    Nor any pods, where it leaves those out. No scheduler puts a pod on a node that names none; but
    who names the node in his pod asks none, and a Quota without pods would count as many as come.
    It tells what a consumer gets: what older slices of that consumer have is gone.
    """
    return {name: str(amount) for name, amount in _granted(told, asked, had).items()}


def divided(told: Told, slices: Mapping[str, ResourceList]) -> dict[str, Had]:
    """Before each slice, oldest first, by name: what the older ones have. They ask for that much.

    So the slices of a consumer together never get more than is told, however many they are.
    """
    had: dict[str, Taken] = {}
    before: dict[str, Had] = {}
    for slice_, asked in slices.items():
        before[slice_] = dict(had)
        for name, amount in _granted(told, asked, had).items():
            if amount:
                had[name] = had.get(name, NOBODY).and_of(slice_, amount)
    return before


def _granted(told: Told, asked: ResourceList, had: Had) -> dict[str, Quantity]:
    none = {} if told.resources is None else {PODS: ZERO}
    amounts = none | {name: readable(amount) for name, amount in (told.resources or {}).items()}
    bounds = {name: readable(amount) for name, amount in asked.items()}
    return {
        name: _least(
            whole(name, amounts.get(name, ZERO)) - had.get(name, NOBODY).amount,
            whole(name, bounds[name]) if name in bounds else None,
        )
        for name in sorted(amounts.keys() | bounds.keys())
    }


def _least(amount: Quantity, bound: Quantity | None) -> Quantity:
    return amount if bound is None else min(amount, bound)


def explained(told: Told, asked: ResourceList, had: Had = NONE) -> Explanation:
    """`cpu 2 = min(4, what the resource plugin grpc://plugin.liqo:6001 says − 8 of slice milan)`

    What is wrong with the plugin stays out of it: this travels to the consumer, who cannot help it.
    """
    return Explanation(tuple(_lines(told, asked, had)))


def _lines(told: Told, asked: ResourceList, had: Had) -> Iterator[Line]:
    said = f"what the resource plugin {told.source} {'said last' if told.is_stale else 'says'}"
    for name, amount in granted(told, asked, had).items():
        hint = NO_PODS if name == PODS and PODS not in (told.resources or {}) else ""
        less = _less(had.get(name, NOBODY))
        yield Line(name, str(amount), _sum(f"{said}{less}", asked.get(name)), hint)


def _sum(said: str, bound: str | int | None) -> str:
    return said if bound is None else f"min({bound}, {said})"


def _less(taken: Taken) -> str:
    if not taken.amount:
        return ""
    more = f" and {taken.slices - len(taken.first)} more" if taken.slices > NAMED else ""
    word = "slice" if taken.slices == 1 else "slices"
    return f" − {taken.amount} of {word} {', '.join(taken.first)}{more}"


def trouble(told: Told, *, stands: bool) -> str:
    """A sentence, if there is any: whether something was granted before or not."""
    if not told.problem:
        return ""
    stays = ", and what was granted stays" if stands else ""
    silence = f"the resource plugin {told.source} does not say what this consumer gets{stays}"
    return f"{silence}: {told.problem}"
