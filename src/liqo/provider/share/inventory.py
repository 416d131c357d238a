"""Inventory: the ledger of this cluster, fed by copies of its nodes and of the pods on them."""

from __future__ import annotations

from collections.abc import Callable

from liqo.api import labels
from liqo.api.sizes import SizedNode, SizedPod
from liqo.kube.cache import Caches
from liqo.kube.paths import Scope
from liqo.provider.shadowpod import FINISHED
from liqo.provider.share.ledger import Booking, Ledger
from liqo.provider.watched import PHYSICAL_NODES
from liqo.rules.usage import Amounts, amounts, taken

# Those that take something from a node: what is not bound takes nothing yet, what ended no more.
BOUND = Scope(fields="spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed")


class Inventory:
    def __init__(self, here: Caches, moved: Callable[[], None]) -> None:
        self.ledger = Ledger()
        self._here = here
        self._moved = moved
        self._nodes = here.later(SizedNode, PHYSICAL_NODES)
        self._pods = here.later(SizedPod, BOUND)
        self._nodes.subscribe(self._node)
        self._pods.subscribe(self._pod)

    @property
    def is_known(self) -> bool:
        """What was listed in part would be the wrong sum."""
        return self._nodes.synced and self._pods.synced

    def close(self) -> None:
        """Nobody asks any more: a copy of all pods is too much to keep for nothing."""
        self._here.release(self._nodes)
        self._here.release(self._pods)

    def _node(self, old: SizedNode | None, new: SizedNode | None) -> None:
        node, room = new or old, room_of(new) if new is not None else None
        if node is not None and self.ledger.node(node.metadata.name, room):
            self._moved()

    def _pod(self, old: SizedPod | None, new: SizedPod | None) -> None:
        pod, booking = new or old, booking_of(new) if new is not None else None
        if pod is not None and self.ledger.pod(pod.key, booking):
            self._moved()


def room_of(node: SizedNode) -> Amounts | None:
    """Of real nodes those that take pods, and are there to run them. Taints are not looked at."""
    if node.spec.unschedulable or not is_ready(node):
        return None
    return amounts(node.status.allocatable)


def is_ready(node: SizedNode) -> bool:
    return any(each.type == "Ready" and each.status == "True" for each in node.status.conditions)


def booking_of(pod: SizedPod) -> Booking | None:
    """Pods that a consumer sent are its own, by the label that our webhook has confirmed."""
    if not pod.spec.node_name or (pod.status is not None and pod.status.phase in FINISHED):
        return None
    marks = pod.metadata.labels
    is_sent = marks.get(labels.MANAGED_BY) == "shadowpod"
    return Booking(
        pod.spec.node_name, taken(pod.spec), marks.get(labels.ORIGIN, "") if is_sent else ""
    )
