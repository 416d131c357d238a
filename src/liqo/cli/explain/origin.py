"""Where an amount of a virtual node comes from, in the words of whoever granted it."""

from __future__ import annotations

from liqo.api.authentication import ResourceSlice
from liqo.cli.explain.facts import Facts
from liqo.rules import explanation, slices
from liqo.rules.amounts import counted, readable
from liqo.rules.explanation import Explanation, Line
from liqo.rules.quantity import Quantity, parse

DEFAULT = frozenset({"", "default"})  # classes that grant what is asked for
BY_HAND = "spec.resourceQuota of the VirtualNode"


def explained(facts: Facts) -> Explanation | None:
    """What the provider says about its sums; None: nothing, or words that are no sums."""
    if facts.granted is None:
        return None
    return explanation.read(slices.explained(facts.granted))


def origin(facts: Facts, resource: str, told: Explanation | None) -> Line:
    """
    ResourceSlice         | the amount of the VirtualNode is …
    ----------------------+-----------------------------------------------------------
    none                  | its spec.resourceQuota
    gone                  | the same; what there was is named
    grants another amount | the same; what it grants is named. Of devices, whole ones count
    denied meanwhile      | granted earlier; what the provider says now
    explained             | the sum that the provider tells
    of the default class  | asked for, or the provider's default
    of any other          | granted by the class, which does not say why
    """
    amount = str(parse(facts.node.spec.resource_quota.hard[resource]))
    granted = facts.granted
    if granted is None:
        gone = f"; the ResourceSlice {facts.slice_name} is gone" if facts.slice_name else ""
        return Line(resource, amount, f"{BY_HAND}{gone}")
    there = counted(granted.status.resources).get(resource)
    if there is None or str(parse(there)) != amount:
        has = f"has {parse(there)}" if there is not None else "does not name it"
        return Line(resource, amount, f"{BY_HAND}; the ResourceSlice {facts.slice_name} {has}")
    lines = told.lines if told is not None else ()
    by_provider = (line for line in lines if (line.name, line.granted) == (resource, amount))
    words = _words(facts, granted, resource, parse(there))
    return next(by_provider, None) or Line(resource, amount, words)


def _words(facts: Facts, granted: ResourceSlice, resource: str, there: Quantity) -> str:
    provider, asked = facts.node.spec.cluster_id, granted.spec.resources.get(resource)
    if not granted.accepted("Resources"):
        return f"granted earlier; {provider} says now: {slices.explained(granted) or 'nothing'}"
    if granted.spec.class_ not in DEFAULT:
        return f'granted by the class "{granted.spec.class_}" of {provider}, which does not say why'
    if asked is None:
        return "the provider's default"
    wanted = readable(asked)
    return "asked for" if wanted == there else f"granted by {provider}, asked for {wanted}"
