"""Taints of a virtual node: the one that keeps pods away, and those that its VirtualNode names.

Others put theirs into the same list. Which are ours is written on the Node, so that one that the
VirtualNode no longer names goes, also when that changed while no kubelet ran (P-NODE1).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, cast

from msgspec import to_builtins

from liqo.api import labels
from liqo.api.kubernetes import Node
from liqo.api.meta import JSON
from liqo.api.offloading import VirtualNode
from liqo.rules.selectors import is_key, is_value

EFFECTS = frozenset({"NoSchedule", "PreferNoSchedule", "NoExecute"})
TAINT = {"key": labels.NOT_ALLOWED_TAINT, "value": "true", "effect": "NoExecute"}
Mark: TypeAlias = str
"""Key and effect: no Node has two taints with the same."""


def wanted(node: VirtualNode) -> list[JSON]:
    """Each once: of two with the same mark Kubernetes would refuse the whole Node, as for one that
    it takes for no taint."""
    asked = {mark(taint): taint for taint in _asked(node) if is_fit(taint)}
    return [taint for taint in asked.values() if mark(taint) != mark(TAINT)] + [TAINT]


def unfit(node: VirtualNode) -> list[Mark]:
    return [mark(taint) for taint in _asked(node) if not is_fit(taint)]


def is_fit(taint: JSON) -> bool:
    key, value, effect = (str(taint.get(part, "")) for part in ("key", "value", "effect"))
    return is_key(key) and is_value(value) and effect in EFFECTS


def note(node: VirtualNode) -> dict[str, str]:
    """The annotation that says which are ours."""
    return {labels.OWN_TAINTS: ",".join(map(mark, wanted(node)))}


def settled(there: Node, node: VirtualNode) -> list[JSON] | None:
    """The whole list as it should be; None where it is.

    taint on the Node    | what is done
    ---------------------+----------------------
    wanted, the same     | stays, where it is
    wanted, another value| replaced
    ours, wanted no more | goes
    of others            | stays
    """
    present = cast(list[JSON], there.spec.get("taints", []))
    own = set(there.metadata.annotations.get(labels.OWN_TAINTS, "").split(","))
    needed = {mark(each): each for each in wanted(node)}
    kept = [
        each
        for each in present
        if (is_same(each, needed[mark(each)]) if mark(each) in needed else mark(each) not in own)
    ]
    missing = needed.keys() - {mark(each) for each in kept}
    if not missing and len(kept) == len(present):
        return None
    return [*kept, *(each for name, each in needed.items() if name in missing)]


def _asked(node: VirtualNode) -> Iterator[JSON]:
    return (to_builtins(taint) for taint in node.spec.taints)


def mark(taint: JSON) -> Mark:
    return f"{taint.get('key')}:{taint.get('effect')}"


def is_same(one: JSON, other: JSON) -> bool:
    """Since when it is there does not matter."""
    return bool(one.get("value", "") == other.get("value", ""))
