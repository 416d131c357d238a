"""Figures in the text format of Prometheus: those of one consumer's pods, from many nodes.

A family is the lines between two HELP lines. Families of several nodes with the same HELP line are
one family; of a figure about nodes as a whole there is one sample, the sum.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

OF_THE_NODE = frozenset({"node_cpu_usage_seconds_total", "node_memory_working_set_bytes"})

_NAMESPACE = re.compile(r'(?<=[{,])namespace="([^"]*)"')
_POD = re.compile(r'(?<=[{,])pod="([^"]*)"')
_PLAIN = re.compile(r"(?P<name>[A-Za-z_:][\w:]*)(?:\{\})? (?P<value>\S+)(?: (?P<at>-?\d+))?")


@dataclass(frozen=True)
class Share:
    """What is one consumer's: its namespaces, as they are called here and at home, and its pods."""

    at_home: Mapping[str, str]
    pods: frozenset[tuple[str, str]]  # namespace here, and name


@dataclass
class Family:
    """One figure, of all nodes."""

    heading: list[str] = field(default_factory=list)  # HELP and TYPE
    samples: list[str] = field(default_factory=list)
    totals: dict[str, Total] = field(default_factory=dict)  # by name

    def lines(self) -> Iterator[str]:
        sums = (f"{name} {total}" for name, total in self.totals.items())
        samples = sorted([*self.samples, *sums])
        if samples:
            yield from self.heading
            yield from samples


@dataclass(frozen=True)
class Total:
    """A sum over nodes, as new as the newest of them."""

    value: float = 0.0
    at: int | None = None  # milliseconds since 1970

    def plus(self, value: float, at: int | None) -> Total:
        newest = max((each for each in (self.at, at) if each is not None), default=None)
        return Total(self.value + value, newest)

    def __str__(self) -> str:
        return f"{self.value:.17g}" if self.at is None else f"{self.value:.17g} {self.at}"


def of_consumer(share: Share, nodes: Iterable[str]) -> str:
    """The texts of all nodes as one, of which only what is that consumer's is left."""
    families: dict[str, Family] = {}
    for text in nodes:
        _read(share, text, families)
    return "".join(f"{line}\n" for family in families.values() for line in family.lines())


def _read(share: Share, text: str, families: dict[str, Family]) -> None:
    family = Family()  # lines before any HELP belong to nobody
    for line in text.splitlines():
        if line.startswith("# HELP "):
            family = families.setdefault(line, Family(heading=[line]))
        elif line.startswith("#"):
            if line not in family.heading:
                family.heading.append(line)
        elif (kept := told_home(share, line)) is not None:
            family.samples.append(kept)
        else:
            _sum_up(family, line)


def told_home(share: Share, sample: str) -> str | None:
    """The sample as the consumer would have it, if it is of one of its pods."""
    namespace, pod = _NAMESPACE.search(sample), _POD.search(sample)
    if namespace is None or pod is None or (namespace[1], pod[1]) not in share.pods:
        return None
    name = share.at_home.get(namespace[1])
    if name is None:
        return None
    return f'{sample[: namespace.start()]}namespace="{name}"{sample[namespace.end() :]}'


def _sum_up(family: Family, sample: str) -> None:
    found = _PLAIN.fullmatch(sample)
    if found is None or found["name"] not in OF_THE_NODE:
        return
    try:
        value = float(found["value"])
    except ValueError:
        return
    at = int(found["at"]) if found["at"] else None
    family.totals[found["name"]] = family.totals.get(found["name"], Total()).plus(value, at)
