"""Whether an answer of a resource plugin can be believed, and what is said of one that cannot."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from liqo.api.values import ResourceList
from liqo.rules.quantity import NANO, ZERO, Quantity, parse
from liqo.rules.selectors import is_key

MOST_RESOURCES = 100  # a node has five, and one for each kind of device
LONGEST_REASON = 200  # letters: it becomes part of a condition and of an Event
LARGEST = 2**63 - 1  # what a scheduler can count, in the unit in which it does
MILLI = NANO // 1000  # cpu is counted in thousandths, everything else in ones


@dataclass(frozen=True)
class Lie:
    """Its reason completes a sentence about the plugin: "it says 1500m of pods, …"."""

    why: str


def believed(pools: Sequence[Mapping[str, str]]) -> ResourceList | Lie:
    """The sum of all pools, written as Kubernetes does.

    says                       | is
    ---------------------------+---------------------------------------
    no resource at all         | believed: this consumer gets nothing
    more than MOST_RESOURCES   | a lie
    a name that no node takes  | a lie
    an amount that is no number| a lie: NaN, "many", ""
    less than nothing          | a lie
    a part of what is counted  | a lie: half a GPU, or a pod and a half
    more than can be counted   | a lie, also where only the sum is
    """
    if why := next(_flaws(pools), ""):
        return Lie(shortened(why))
    total: dict[str, Quantity] = {}
    for pool in pools:
        for name, amount in pool.items():
            total[name] = total.get(name, ZERO) + parse(amount)
    for name, sum_ in total.items():
        if why := _excess(name, sum_):
            return Lie(shortened(why))
    return {name: str(sum_) for name, sum_ in total.items()}


def _flaws(pools: Sequence[Mapping[str, str]]) -> Iterator[str]:
    count = sum(len(pool) for pool in pools)
    if count > MOST_RESOURCES:
        yield f"it names {count} resources, and more than {MOST_RESOURCES} are not believed"
    for pool in pools:
        for name, amount in pool.items():
            if why := _flaw(name, amount):
                yield why


def _flaw(name: str, amount: str) -> str:
    if not is_key(name):
        return f"it names a resource {name!r}, and none is called like that"
    try:
        quantity = parse(amount)
    except ValueError as wrong:
        return f"it says of {name}: {wrong}"
    if quantity.nano < 0:
        return f"it says {amount} of {name}, and nobody can have less than nothing"
    if quantity.nano % NANO and name != "cpu":
        return f"it says {amount} of {name}, which has no parts"
    return _excess(name, quantity)


def _excess(name: str, quantity: Quantity) -> str:
    """Without the number itself: nobody wants to read that one."""
    unit = MILLI if name == "cpu" else NANO
    if quantity.nano // unit < LARGEST:
        return ""
    return f"it says too much of {name}: nobody has that many"


def out_of_reach(wrong: OSError) -> str:
    """In the words of the system: the number is the same wherever it happens, texts differ."""
    number = wrong.errno or 0  # below zero where a name was not found
    why = os.strerror(number) if number > 0 else wrong.strerror or str(wrong)
    return shortened(f"it cannot be reached: {why}")


def shortened(why: str) -> str:
    """On one line, whatever the plugin wrote into it."""
    line = " ".join(why.split())
    return line if len(line) <= LONGEST_REASON else f"{line[: LONGEST_REASON - 1]}…"
