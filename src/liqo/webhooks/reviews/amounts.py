"""Amounts that may be asked for: quantities that exist."""

from __future__ import annotations

from liqo.api.values import ResourceList
from liqo.rules.amounts import comes_whole
from liqo.rules.quantity import LARGEST_BINARY, QUOTED, parse
from liqo.webhooks.review import BAD_REQUEST, Deny


def check_amounts(resources: ResourceList, where: str = "spec.resources") -> Deny | None:
    for name, written in resources.items():
        if problem := check_amount(written):
            said = str(written)
            shown = said if len(said) <= QUOTED else f"{said[:QUOTED]}…"
            return Deny(f'{where}: "{shown}" of {name} {problem}', BAD_REQUEST)
    return None


def check_capacity(resources: ResourceList, where: str = "spec.resources") -> Deny | None:
    """What a node may have; of what a pod asks for Kubernetes itself is the judge."""
    if problem := check_amounts(resources, where):
        return problem
    for name, written in resources.items():
        amount = parse(written)
        if comes_whole(name) and amount != amount.whole():
            reason = f'{where}: "{written}" of {name} is not a whole number, and it has no parts'
            return Deny(reason, BAD_REQUEST)
    return None


def check_amount(written: str | int) -> str:
    """What is wrong with it, to be read after it; empty where nothing is."""
    try:
        amount = parse(written).nano
    except ValueError:
        return 'is not a quantity; "500m", "2" and "4Gi" are'
    if amount < 0:
        return "is less than nothing; ask for 0 or more"
    if amount >= LARGEST_BINARY:
        return "is more than Kubernetes can count; ask for less than 8Ei"
    return ""
