"""Departures: all pods on virtual nodes that leave, whether or not it shows that they went out.

A pod that went out has a label, but only once its status came back: one that was refused there, or
that is just starting, has none, and a ShadowPod all the same. Who leaves must wait for these, too.
They are followed from the moment a VirtualNode leaves until it is gone.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from liqo.api import labels
from liqo.api.meta import Key, Resource
from liqo.api.offloading import VirtualNode, VirtualNodeCondition
from liqo.api.sizes import BoundPod
from liqo.kube.audience import Audience
from liqo.kube.cache import Cache, Caches
from liqo.kube.paths import Scope
from liqo.rules import conditions
from liqo.rules.departure import is_leaving
from liqo.rules.ownership import controller_of

PATIENCE = timedelta(minutes=5)  # for budgets, and ends; then the peering's end is more important
HELD = PATIENCE + timedelta(minutes=1)  # it was deleted without any grace then, and is still there
STAYED = "OffloadingBackOff"  # the reason of a pod that has nothing on the provider
LEAVING = frozenset({"Draining", "Deleting", "None"})  # what is said of a Node that goes, or went
LONG_AGO = datetime.min.replace(tzinfo=UTC)
BEHIND = timedelta(minutes=1)  # our clock may be, compared with the API server's


class Departures:
    """Watched like a copy of these pods."""

    def __init__(self, here: Caches) -> None:
        self._here = here
        self._copies: dict[str, Cache[BoundPod]] = {}  # by the name of the node
        self._nodes: dict[str, VirtualNode] = {}
        self._audience: Audience[BoundPod] = Audience(self.values)
        self.subscribe = self._audience.subscribe
        here.of(VirtualNode).subscribe(self._follow)

    def values(self) -> list[BoundPod]:
        return [pod for copy in self._copies.values() for pod in copy.values()]

    def get(self, key: Key) -> BoundPod | None:
        found = (copy.get(key) for copy in self._copies.values())
        return next((pod for pod in found if pod is not None), None)

    def on(self, node: str) -> list[BoundPod] | None:
        """Those that have something on the provider, or may; None: nobody knows yet."""
        copy = self._copies.get(node)
        if copy is None or not copy.synced:
            return None
        leaving = self._nodes[node]
        return [pod for pod in copy.values() if is_waited_for(pod, leaving)]

    def _follow(self, old: VirtualNode | None, new: VirtualNode | None) -> None:
        node = new or old
        if node is None:
            return
        name = node.metadata.name
        if new is not None and is_leaving(new):
            self._nodes[name] = new
            if name not in self._copies:
                self._copies[name] = copy = self._here.later(BoundPod, bound_to(name))
                copy.subscribe(self._told)
        elif name in self._copies:
            self._here.release(self._copies.pop(name))
            del self._nodes[name]

    def _told(self, old: BoundPod | None, new: BoundPod | None) -> None:
        if pod := new or old:
            self._audience.tell(pod)


def departures(here: Caches) -> Departures:
    """One for all who ask."""
    return here.shared(Departures, lambda: Departures(here))


def bound_to(node: str) -> Scope:
    return Scope(fields=f"spec.nodeName={node}")


def is_daemon(pod: BoundPod) -> bool:
    """Who makes it does so on every Node, cordoned or not."""
    return controller_of(pod) == "DaemonSet"


def is_waited_for(pod: BoundPod, node: VirtualNode) -> bool:
    """
    pod that              | its VirtualNode    | waited for
    ----------------------+--------------------+-----------------------------------------------------
    says that it went out | any                | yes
    says that it stayed   | any                | no
    came since            | leaves             | no: a kubelet that leaves sends none out, and where
                          |                    | its owner ignores that the node is closed, the next
                          |                    | would come as long as there is a Node
    is of a DaemonSet     | stays              | no: its kubelet stays, and sees to what is there
    any other             | any                | yes: it may just be on its way
    """
    if labels.SHADOW_POD in pod.metadata.labels:
        return True
    if pod.status.reason == STAYED or _came_since(pod, node):
        return False
    return not is_daemon(pod) or node.metadata.deletion_timestamp is not None


def leaves_since(node: VirtualNode) -> datetime | None:
    """
    its VirtualNode | what is said of its Node | it leaves since
    ----------------+--------------------------+----------------
    was deleted     | any                      | then
    wants no Node   | Draining, Deleting, None | that is said
    any other       | any                      | nobody knows
    """
    since, said = node.metadata.deletion_timestamp, _said_of_node(node)
    if since is None and said is not None and is_leaving(node) and said.status in LEAVING:
        since = said.last_transition_time
    return datetime.fromisoformat(since) if since else None


def is_overdue(ending: Resource, by: timedelta, now: datetime) -> bool:
    due = ending.metadata.deletion_timestamp
    return due is not None and now - datetime.fromisoformat(due) > by


def _came_since(pod: BoundPod, node: VirtualNode) -> bool:
    closed, made = _closed_since(node), pod.metadata.creation_timestamp
    return bool(closed and made and datetime.fromisoformat(made) > closed)


def _closed_since(node: VirtualNode) -> datetime | None:
    """
    its VirtualNode | what is said of its Node | whatever is made later came since
    ----------------+--------------------------+------------------------------------------
    was deleted     | any                      | then: the API server says when, as of pods
    wants no Node   | Draining                 | a minute after: our clock says when
    wants no Node   | Deleting, None           | ever: it was empty before
    any other       | any                      | nobody knows
    """
    since, said = leaves_since(node), _said_of_node(node)
    if since is None or node.metadata.deletion_timestamp is not None:
        return since
    return since + BEHIND if said is not None and said.status == "Draining" else LONG_AGO


def _said_of_node(node: VirtualNode) -> VirtualNodeCondition | None:
    return conditions.find(node.status.conditions, "Node")
