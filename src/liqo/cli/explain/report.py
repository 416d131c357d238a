"""The report about the capacity of a virtual node: its fields are those that programs read."""

from __future__ import annotations

from collections.abc import Iterator

from liqo.api.meta import JSON
from liqo.api.sizes import SizedPod
from liqo.cli.explain.facts import Facts
from liqo.cli.explain.origin import DEFAULT, explained, origin
from liqo.rules.explanation import Explanation, Line
from liqo.rules.fit import Bound, Displaced, amount, displaced, in_all
from liqo.rules.sums import taken_apart
from liqo.rules.usage import amounts, taken

FINISHED = frozenset({"Succeeded", "Failed"})


def report(facts: Facts) -> JSON:
    node, told = facts.node, explained(facts)
    offered = amounts(node.spec.resource_quota.hard)
    bound = [
        Bound(pod.key, pod.metadata.creation_timestamp or "", taken(pod.spec))
        for pod in facts.pods
        if not is_finished(pod)
    ]
    in_use = in_all(bound)
    return {
        "node": node.metadata.name,
        "cluster": node.spec.cluster_id,
        **_slice(facts),
        **({"nodes": told.nodes} if told is not None and told.nodes else {}),
        "resources": {
            name: {
                **_granted(origin(facts, name, told)),
                "inUse": str(amount(name, in_use.get(name, 0))),
                "left": str(amount(name, max(0, nano - in_use.get(name, 0)))),
                **_on_nodes(name, told),
            }
            for name, nano in sorted(offered.items())
        },
        "doesNotFit": [_misfit(each) for each in displaced(bound, offered)],
    }


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
    """Of the provider: how much of it one has, and how much the others."""
    if told is None or name not in told.largest:
        return {}
    largest = told.largest[name]
    return {"largestOnOneNode": largest, "freeByNode": list(told.spread.get(name, (largest,)))}


def _misfit(out: Displaced) -> JSON:
    return {
        "namespace": out.key.namespace,
        "name": out.key.name,
        "resource": out.short.resource,
        "asked": str(out.short.asked),
        "left": str(out.short.left),
    }
