"""What one must be allowed to do to a Node to ask its kubelet for something."""

from __future__ import annotations

from dataclasses import dataclass

from liqo.kubelet.api.head import Target

VERBS = {"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
STREAMS = frozenset({"exec", "attach", "portForward", "run"})
# The first of these is enough; who has all of a Node, `proxy`, has these, too.
FINE = {"pods": "pods", "runningpods": "pods", "healthz": "healthz", "configz": "configz"}
# And who has all of a Node does not have these.
APART = {
    "stats": "stats",
    "metrics": "metrics",
    "logs": "log",
    "checkpoint": "checkpoint",
    "statusz": "statusz",
    "flagz": "configz",
}


@dataclass(frozen=True)
class Permission:
    verb: str
    subresources: tuple[str, ...]  # of the Node; any of them will do


def needed(method: str, target: Target) -> Permission:
    """As a kubelet has it. But whoever enters a pod must be allowed to create, also by a GET:

    a right to read everything of a Node is no right to run commands on it.
    """
    first = target.parts[0]
    verb = "create" if first in STREAMS else VERBS.get(method, "")
    if first in APART:
        return Permission(verb, (APART[first],))
    return Permission(verb, (FINE[first], "proxy") if first in FINE else ("proxy",))
