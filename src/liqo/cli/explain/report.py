"""The report about the capacity of a virtual node: its fields are those that programs read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from liqo.api.meta import JSON
from liqo.api.sizes import SizedPod
from liqo.cli.explain.facts import Facts
from liqo.cli.explain.origin import DEFAULT, explained, origin
from liqo.rules.amounts import counted
from liqo.rules.explanation import Explanation, Line
from liqo.rules.fit import Bound, Displaced, amount, displaced, in_all
from liqo.rules.sums import taken_apart
from liqo.rules.usage import PODS, Amounts, amounts, taken

FINISHED = frozenset({"Succeeded", "Failed"})


def report(facts: Facts) -> JSON:
    node, told = facts.node, explained(facts)
    uses, offered = Uses.of(facts), amounts(node.spec.resource_quota.hard)
    in_use, left = in_all(uses.together), uses.left(offered)
    return {
        "node": node.metadata.name,
        "cluster": node.spec.cluster_id,
        **_slice(facts),
        **({"nodes": told.nodes} if told is not None and told.nodes else {}),
        "resources": {
            name: {
                **_granted(origin(facts, name, told)),
                "inUse": str(amount(name, in_use.get(name, 0))),
                "left": str(amount(name, left[name])),
                **_on_nodes(name, told),
            }
            for name in sorted(offered)
        },
        "doesNotFit": [_misfit(each) for each in uses.displaced(offered)],
    }


@dataclass(frozen=True)
class Uses:
    """What pods take of what was granted once, however many virtual nodes show all of it."""

    own: list[Bound]
    together: list[Bound]  # with the pods of the other nodes
    granted: Amounts  # empty: nobody knows of a slice

    @classmethod
    def of(cls, facts: Facts) -> Uses:
        own = _bound(facts.pods)
        granted = facts.granted.status.resources if facts.granted is not None else {}
        return cls(own, [*own, *_bound(facts.others)], amounts(counted(granted)))

    def left(self, offered: Amounts) -> dict[str, int]:
        """Of the node, and never more than of its slice; one that names no pods counts none."""
        own, together = in_all(self.own), in_all(self.together)
        left: dict[str, int] = {}
        limits = self.granted or offered
        for name, nano in offered.items():
            left[name] = nano - own.get(name, 0)
            if name in limits or name != PODS:
                left[name] = min(left[name], limits.get(name, 0) - together.get(name, 0))
        return {name: max(0, nano) for name, nano in left.items()}

    def displaced(self, offered: Amounts) -> tuple[Displaced, ...]:
        """Of all of them where they are too many together; else of what the node itself shows."""
        return displaced(self.together, self.granted or offered) or displaced(self.own, offered)


def _bound(pods: Iterable[SizedPod]) -> list[Bound]:
    return [
        Bound(pod.key, pod.metadata.creation_timestamp or "", taken(pod.spec))
        for pod in pods
        if not is_finished(pod)
    ]


def is_finished(pod: SizedPod) -> bool:
    return pod.status is not None and pod.status.phase in FINISHED


def _slice(facts: Facts) -> JSON:
    if not facts.slice_name:
        return {}
    found = facts.granted
    class_ = found.spec.class_ if found is not None else None
    return {
        "resourceSlice": facts.slice_name,
        **({"class": "default" if class_ in DEFAULT else class_} if class_ is not None else {}),
        "sharedWith": list(facts.beside),
    }


def _granted(line: Line) -> JSON:
    return {
        "granted": line.granted,
        "sum": line.sum,
        **({"hint": line.hint} if line.hint else {}),
        **dict(_inputs(line.sum)),
    }


def _inputs(text: str) -> Iterator[tuple[str, str | int]]:
    share = taken_apart(text)
    if share is None:
        return
    yield "percentage", share.percentage
    yield "rounding", share.rounding
    yield "allocatable", share.allocatable
    yield "requested", share.requested
    if share.asked:
        yield "asked", share.asked


def _on_nodes(name: str, told: Explanation | None) -> JSON:
    """Of the provider: how much of it one lends, and how much it and the others have."""
    largest = told.largest.get(name) if told is not None else None
    free = told.spread.get(name) if told is not None else None
    return {
        **({"largestOnOneNode": largest, "freeByNode": [largest]} if largest else {}),
        **({"freeByNode": list(free)} if free else {}),
    }


def _misfit(out: Displaced) -> JSON:
    return {
        "namespace": out.key.namespace,
        "name": out.key.name,
        "resource": out.short.resource,
        "asked": str(out.short.asked),
        "left": str(out.short.left),
    }
