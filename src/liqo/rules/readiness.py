"""What Nodes and Pods say of themselves."""

from __future__ import annotations

from liqo.api.kubernetes import Node, Pod


def is_ready(thing: Pod | Node) -> bool:
    found = thing.status.get("conditions", [])
    return any(each.get("type") == "Ready" and each.get("status") == "True" for each in found)
