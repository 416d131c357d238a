"""What somebody outside tells about what a consumer gets: a resource plugin, asked for it."""

from __future__ import annotations

from dataclasses import dataclass

from liqo.api.values import ResourceList
from liqo.rules.amounts import readable, whole
from liqo.rules.explanation import Explanation, Line
from liqo.rules.quantity import ZERO, Quantity


@dataclass(frozen=True)
class Told:
    resources: ResourceList | None  # the last that could be believed; None: none ever could
    source: str  # who tells it: its address
    problem: str = ""  # what is wrong now, about "it"; empty: nothing

    @property
    def is_stale(self) -> bool:
        return self.resources is not None and bool(self.problem)


def granted(told: Told, asked: ResourceList) -> ResourceList:
    """What it tells, and of what was asked for no more than that; of what it leaves out, none."""
    amounts = {name: readable(amount) for name, amount in (told.resources or {}).items()}
    bounds = {name: readable(amount) for name, amount in asked.items()}
    return {
        name: str(whole(name, _least(amounts.get(name, ZERO), bounds.get(name))))
        for name in sorted(amounts.keys() | bounds.keys())
    }


def _least(amount: Quantity, bound: Quantity | None) -> Quantity:
    return amount if bound is None else min(amount, bound)


def explained(told: Told, asked: ResourceList) -> Explanation:
    """`cpu 2 = min(4, what the resource plugin grpc://plugin.liqo:6001 says)`

    What is wrong with the plugin stays out of it: this travels to the consumer, who cannot help it.
    """
    said = f"what the resource plugin {told.source} {'said last' if told.is_stale else 'says'}"
    sums = {name: f"min({amount}, {said})" for name, amount in asked.items()}
    return Explanation(
        tuple(
            Line(name, str(amount), sums.get(name, said))
            for name, amount in granted(told, asked).items()
        )
    )


def nothing(told: Told) -> str:
    """In place of sums where there are none: a grant without a word would be taken for none."""
    return f"nothing: the resource plugin {told.source} names no resource"


def trouble(told: Told, *, stands: bool) -> str:
    """A sentence, if there is any: whether something was granted before or not."""
    if not told.problem:
        return ""
    stays = ", and what was granted stays" if stands else ""
    silence = f"the resource plugin {told.source} does not say what this consumer gets{stays}"
    return f"{silence}: {told.problem}"
